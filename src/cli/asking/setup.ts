// `rollcall setup`: asks a person what a new installation needs. Then the running service sets that up, by the same
// operations as for other commands. Nothing is done before the last question is answered. At the end the setup sends an
// alert, and the person says whether it arrived.

import * as prompts from "@clack/prompts";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { spellTimezone } from "../../domain/schedule/zone.ts";
import { nearestKnownName, nearestOrAll, quote } from "../../domain/text.ts";
import { discoverLine, firstReportLine } from "../../domain/wording/job-lines.ts";
import type { Answer } from "../../engine/operations/operations.ts";
import { programHere } from "../executable.ts";
import { DONE, MISUSED, REFUSED } from "../io.ts";
import { machineZone } from "../machine-zone.ts";
import { say } from "../screens/table.ts";
import { NO_ADDRESS } from "../serving/first-keys.ts";
import { askService, type SocketCaller } from "./ask-service.ts";
import { runOperation } from "./operation-commands.ts";
import { makeTrialKey, type Trial, trialSetting, tryAlert } from "./trial-alert.ts";
import { typedWords } from "./typed-secrets.ts";

const QUESTIONS = ["timezone", "url", "destination", "administrator", "watch"] as const;

type SetupQuestion = (typeof QUESTIONS)[number];

/**
 * The answers that options of the command line gave. `setting` is what the destination needs and `mail` describes the
 * server that takes our mail, both as KEY=VALUE.
 */
export type SetupAnswers = Partial<Record<SetupQuestion, string>> & {
  setting?: readonly string[];
  mail?: readonly string[];
};

type OfferedKinds = Answer<"destination kinds">["kinds"];

/** The answer that leaves a setting as it is. */
const NONE = "none";

const MAIL = "email";

export async function runSetup(options: SetupAnswers, caller: SocketCaller): Promise<number> {
  const { io } = caller;
  const asked = await askService(caller, "destination kinds", {});
  if ("exitCode" in asked) return asked.exitCode;
  const listed = await askService(caller, "destination list", {});
  if ("exitCode" in listed) return listed.exitCode;
  const missing = QUESTIONS.filter((name) => options[name] === undefined);
  if (missing.length > 0 && !io.input.isTerminal) {
    say(
      io,
      `without a terminal these are needed, or "none" behind them: ${missing.map((name) => `--${name}`).join(", ")}`,
    );
    return MISUSED;
  }
  const sendsMail = listed.answer.destinations.some(({ type }) => type === MAIL);
  const { kinds } = asked.answer;
  const wrong =
    wrongIn(options) ??
    wrongDestination(options, kinds) ??
    (missing.length === 0 && !sendsMail ? wrongMail(options) : null);
  if (wrong !== null) {
    say(io, wrong);
    return MISUSED;
  }
  const given = await withSecretsTyped(options, caller);
  if (isRefusal(given)) {
    say(io, given.message);
    return REFUSED;
  }
  const answers = missing.length === 0 ? given : await askPerson(given, kinds, sendsMail);
  const here = { ...caller, io: { ...io, typed: asked.screen.typed } };
  if (answers !== null) return await applyAnswers({ ...answers, setting: withSuggestions(answers, kinds) }, here);
  say(io, "nothing was done");
  return REFUSED;
}

/** Reads the secrets that the options leave to standard input, and makes the paths in them absolute. */
async function withSecretsTyped(options: SetupAnswers, { io }: SocketCaller): Promise<SetupAnswers | Refusal> {
  const mail = options.mail && (await typedWords(io, options.mail));
  if (isRefusal(mail)) return mail;
  const setting = options.setting && (await typedWords(io, options.setting));
  return isRefusal(setting) ? setting : { ...options, ...(mail && { mail }), ...(setting && { setting }) };
}

/**
 * Returns a sentence about the first answer that no service would accept, so that it is refused before anything is
 * done; `null` when all may be accepted.
 */
function wrongIn({ timezone = NONE, url = NONE, watch = NONE }: SetupAnswers): string | null {
  const first = WATCH.map(({ value }) => value);
  if (!first.includes(watch)) return `--watch: there is no ${quote(watch)}, ${nearestOrAll(watch, first)}`;
  if (timezone !== NONE && spellTimezone(timezone) === null)
    return `--timezone: there is no zone ${JSON.stringify(timezone)}, such as Europe/Berlin`;
  return url === NONE || /^https?:\/\/[^\s@]+$/.test(url)
    ? null
    : `--url: ${JSON.stringify(url)} must begin with http:// or https://, without a user name`;
}

/**
 * Returns a sentence when the answers name a type of destination that does not exist, or a setting that this type does
 * not have; otherwise `null`.
 */
function wrongDestination({ destination = NONE, setting = [] }: SetupAnswers, kinds: OfferedKinds): string | null {
  if (destination === NONE) return null;
  const kind = kinds.find(({ type }) => type === destination);
  if (kind === undefined) {
    // This may be a type that only the configuration file may name: `kinds` lacks these. So only a misspelled type is
    // named here, and any other word is left to the service to refuse.
    const near = nearestKnownName(
      destination,
      kinds.map(({ type }) => type),
    );
    return near && `--destination: there is no type ${quote(destination)}, did you mean "${near}"?`;
  }
  const keys = kind.keys.flatMap(({ key, secret }) => (secret ? [key, `${key}_file`] : [key]));
  for (const [place, word] of setting.entries()) {
    // A word that has no key may be a secret, such as the address of a webhook, so it is not repeated.
    const key = /^([a-z][a-z_]*)=/.exec(word)?.[1];
    if (key === undefined) return `--setting: word ${place + 1} is not KEY=VALUE, such as ${keys[0]}=...`;
    if (!keys.includes(key)) return `--setting: ${destination} has no ${quote(key)}, ${nearestOrAll(key, keys)}`;
  }
  return null;
}

const wrongMail = ({ destination, mail = [] }: SetupAnswers): string | null =>
  destination !== MAIL || mail.length > 0
    ? null
    : "--mail: no server takes our mail yet; give host=mail.example.org from=cron@example.org, and where it asks for a login username= and password_file=";

/**
 * Returns the given settings, and for those that are missing the suggested value, if there is one, such as a random
 * topic.
 */
function withSuggestions({ destination, setting = [] }: SetupAnswers, kinds: OfferedKinds): readonly string[] {
  const given = new Set(setting.map((word) => word.split("=", 1)[0]));
  const keys = kinds.find(({ type }) => type === destination)?.keys ?? [];
  const added = keys.flatMap(({ key, suggestion }) =>
    suggestion === null || given.has(key) || given.has(`${key}_file`) ? [] : [`${key}=${suggestion}`],
  );
  return [...setting, ...added];
}

class BrokenOff extends Error {}

async function typed(answer: Promise<unknown>): Promise<string> {
  const text = await answer;
  if (prompts.isCancel(text)) throw new BrokenOff();
  return String(text ?? "").trim() || NONE;
}

/**
 * Asks the person each question that has no answer yet. Returns all answers; `null` when the person stopped or did not
 * confirm them.
 */
async function askPerson(given: SetupAnswers, kinds: OfferedKinds, sendsMail: boolean): Promise<SetupAnswers | null> {
  const ask: Record<SetupQuestion, () => Promise<unknown>> = {
    timezone: () =>
      prompts.text({
        message: "Time zone of your schedules",
        initialValue: machineZone().timezone ?? "UTC",
        validate: (zone) => (spellTimezone(zone ?? "") === null ? "no zone has this name" : undefined),
      }),
    url: () =>
      prompts.text({ message: "Address that jobs and people reach it at", placeholder: "none yet: leave empty" }),
    destination: () =>
      prompts.select({
        message: "Where do alerts go?",
        options: [
          ...kinds.map((kind) => ({ value: kind.type, label: kindLabel(kind) })),
          { value: NONE, label: "decide later" },
        ],
        maxItems: 10,
      }),
    administrator: () =>
      prompts.text({ message: "Who signs in to the dashboard?", placeholder: "your name; empty: nobody new" }),
    watch: () => prompts.select({ message: "What to watch first?", options: WATCH }),
  };
  const answers: SetupAnswers = { ...given };
  try {
    for (const name of QUESTIONS) {
      answers[name] ??= await typed(ask[name]());
      if (name !== "destination") continue;
      if (answers.destination === MAIL && !sendsMail) answers.mail ??= await askMailServer();
      answers.setting ??= await askSettings(answers.destination, kinds);
    }
    const agrees = await prompts.confirm({ message: "Do all this?" });
    return agrees === true ? answers : null;
  } catch (error) {
    if (error instanceof BrokenOff) return null;
    throw error;
  }
}

function kindLabel({ type, called, keys }: OfferedKinds[number]): string {
  if (type === MAIL) return `${called}: through a mail server of yours`;
  return keys.some(({ suggestion }) => suggestion !== null) ? `${called}: a phone, without an account` : called;
}

const WATCH = [
  { value: "discover", label: "the jobs of cron and systemd on this machine" },
  { value: "import", label: "what another service watches" },
  { value: "curl", label: "one job that reports by curl" },
  { value: NONE, label: "decide later" },
];

async function askSettings(type: string | undefined, kinds: OfferedKinds): Promise<string[]> {
  const settings: string[] = [];
  for (const { key, needed, secret, meaning, suggestion } of kinds.find((kind) => kind.type === type)?.keys ?? []) {
    // Mail usually goes to the members of the team, who do not exist yet. So here the recipient is asked for too.
    if (!needed && !(type === MAIL && key === "to")) continue;
    const message = `${key}: ${meaning}`;
    const asked =
      secret && suggestion === null
        ? prompts.password({ message })
        : prompts.text({ message, initialValue: suggestion ?? "" });
    settings.push(`${key}=${await typed(asked)}`);
  }
  return settings;
}

async function askMailServer(): Promise<string[]> {
  const host = await typed(prompts.text({ message: "Mail server", placeholder: "mail.example.org" }));
  const port = await typed(prompts.text({ message: "Its port (465, 587 or 25)", initialValue: "587" }));
  const account = await typed(prompts.text({ message: "Account to log in with", placeholder: "empty: no login" }));
  const login =
    account === NONE
      ? []
      : [`username=${account}`, `password=${await typed(prompts.password({ message: "Its password" }))}`];
  const sender = account.includes("@") ? account : "";
  const from = await typed(prompts.text({ message: "Address that the mail comes from", initialValue: sender }));
  return [`host=${host}`, `port=${port}`, ...securityOf(port), ...login, `from=${from}`];
}

/** Returns the encryption that mail servers expect at this port; nothing for another port, where the default holds. */
const securityOf = (port: string): string[] => {
  const security = { "465": "tls", "587": "starttls", "25": "starttls" }[port];
  return security === undefined ? [] : [`security=${security}`];
};

/**
 * Does what was answered, step by step. A step that fails ends the setup, so the step that may fail because of another
 * machine comes first.
 */
async function applyAnswers(
  { setting = [], mail = [], ...answers }: SetupAnswers,
  caller: SocketCaller,
): Promise<number> {
  const { timezone, url, destination, administrator, watch } = Object.fromEntries(
    QUESTIONS.map((name) => [name, answers[name] === NONE ? undefined : answers[name]]),
  ) as Partial<Record<SetupQuestion, string>>;
  const steps = [
    destination !== undefined && (() => addDestination({ destination, settings: setting }, mail, caller)),
    (timezone ?? url) !== undefined &&
      (() => runOperation(caller, "config set", { timezone: timezone ?? null, url: url ?? null }, null)),
    administrator !== undefined &&
      (() => runOperation(caller, "user create", { name: administrator, role: "admin" }, null)),
    watch !== undefined && (() => sayFirst(watch, caller)),
    destination !== undefined && (() => tryAlert({ destination, settings: setting }, caller)),
  ];
  for (const [place, step] of steps.entries()) {
    const exitCode = step === false ? DONE : await step();
    if (exitCode === DONE) continue;
    if (steps.slice(place + 1).some((later) => later !== false))
      say(caller.io, "what comes after that was not done: give `rollcall setup` again, with none for what is done");
    return exitCode;
  }
  return DONE;
}

async function addDestination(trial: Trial, mail: readonly string[], caller: SocketCaller): Promise<number> {
  const { destination, settings } = trial;
  if (mail.length > 0) {
    const exitCode = await runOperation(caller, "config set", { mail: [...mail] }, null);
    if (exitCode !== DONE) return exitCode;
  }
  for (const line of subscribeLines(trial)) caller.io.out(line);
  const asked = { name: destination, type: destination, settings: [...settings] };
  const exitCode = await runOperation(caller, "destination add", asked, null);
  // The mail server may be the reason why the destination was not added. It is forgotten, so that the next setup asks
  // for it again.
  if (exitCode !== DONE && mail.length > 0) await runOperation(caller, "config set", { mail: [""] }, null);
  return exitCode;
}

/** Returns lines that tell a person to subscribe to the topic: otherwise they would see no alert. */
function subscribeLines(trial: Trial): string[] {
  const [topic, url] = [trialSetting(trial, "topic"), trialSetting(trial, "url")];
  if (topic === null || url === null || !/^https?:/.test(url)) return [];
  return [
    `Subscribe to this topic of ${url} in the ${trial.destination} app now:`,
    "",
    `  ${topic}`,
    "",
    `A browser shows it at ${url.replace(/\/$/, "")}/${topic}. Whoever knows the topic reads the alerts.`,
  ];
}

async function sayFirst(what: string, caller: SocketCaller): Promise<number> {
  const { io } = caller;
  const found = await askService(caller, "config addresses", {});
  if ("exitCode" in found) return found.exitCode;
  if (what === "import") {
    io.out(found.screen.typed("import healthchecks hc.sqlite --dry-run"));
    say(io, "this shows what it would do; docs/import.md says where to find the other service's database");
    return DONE;
  }
  const address = found.answer.elsewhere ?? found.answer.here;
  if (address === null) {
    say(io, NO_ADDRESS);
    return REFUSED;
  }
  const made = await makeTrialKey({}, caller);
  if ("exitCode" in made) return made.exitCode;
  if (what === "curl") io.out(firstReportLine(address, made.answer.key));
  else {
    io.out(discoverLine(address, made.answer.key, programHere()));
    say(io, "this shows what it would change, and asks before it does; docs/discover.md says more");
  }
  return DONE;
}
