// `rollcall setup`: asks what a new installation needs, and has the running service do it, by the same operations as
// everything else. Nothing is done before the last question is answered.

import * as prompts from "@clack/prompts";
import { spellTimezone } from "../domain/schedule/zone.ts";
import { firstReportLine } from "../domain/wording/report-line.ts";
import type { WrittenAnswer } from "../engine/operations/operations.ts";
import { askService, type SocketCaller } from "./asking/ask-service.ts";
import { runOperation } from "./asking/operation-commands.ts";
import { loadHere } from "./config-commands.ts";
import { DONE, MISUSED, REFUSED } from "./io.ts";
import { machineZone } from "./machine-zone.ts";
import { say } from "./screens/table.ts";
import { localAddress } from "./serving/first-keys.ts";

const QUESTIONS = ["timezone", "url", "destination", "administrator", "watch"] as const;

type SetupQuestion = (typeof QUESTIONS)[number];

export type SetupAnswers = Partial<Record<SetupQuestion, string>> & { setting?: readonly string[] };

/** Leaves what a question is about as it is. */
const NONE = "none";

export async function runSetup(given: SetupAnswers, caller: SocketCaller): Promise<number> {
  const { io } = caller;
  const asked = await askService(caller, "destination kinds", {});
  if ("exitCode" in asked) return asked.exitCode;
  const missing = QUESTIONS.filter((name) => given[name] === undefined);
  if (missing.length > 0 && !io.secret.isTerminal) {
    say(
      io,
      `without a terminal these are needed, or "none" behind them: ${missing.map((name) => `--${name}`).join(", ")}`,
    );
    return MISUSED;
  }
  const wrong = wrongIn(given);
  if (wrong !== null) {
    say(io, wrong);
    return MISUSED;
  }
  const answers = missing.length === 0 ? given : await askPerson(given, asked.answer.kinds);
  if (answers !== null) return await apply(answers, caller);
  say(io, "nothing was done");
  return REFUSED;
}

/** What no service would take, so that nothing is done before it is refused; null: nothing. */
function wrongIn({ timezone = NONE, url = NONE }: SetupAnswers): string | null {
  if (timezone !== NONE && spellTimezone(timezone) === null)
    return `--timezone: there is no zone ${JSON.stringify(timezone)}, such as Europe/Berlin`;
  return url === NONE || /^https?:\/\/[^\s@]+$/.test(url)
    ? null
    : `--url: ${JSON.stringify(url)} must begin with http:// or https://, without a user name`;
}

class BrokenOff extends Error {}

async function typed(answer: Promise<unknown>): Promise<string> {
  const text = await answer;
  if (prompts.isCancel(text)) throw new BrokenOff();
  return String(text ?? "").trim() || NONE;
}

/** Null: the person broke off, or does not want it done. */
async function askPerson(
  given: SetupAnswers,
  kinds: WrittenAnswer<"destination kinds">["kinds"],
): Promise<SetupAnswers | null> {
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
        options: [...kinds.map(({ type }) => ({ value: type })), { value: NONE, label: "decide later" }],
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
      if (name === "destination") answers.setting ??= await askSettings(answers.destination, kinds);
    }
    const agrees = await prompts.confirm({ message: "Do all this?" });
    return agrees === true ? answers : null;
  } catch (error) {
    if (error instanceof BrokenOff) return null;
    throw error;
  }
}

const WATCH = [
  { value: "discover", label: "the jobs of cron and systemd on this machine" },
  { value: "import", label: "what another service watches" },
  { value: "curl", label: "one job that reports by curl" },
  { value: NONE, label: "decide later" },
];

async function askSettings(
  type: string | undefined,
  kinds: WrittenAnswer<"destination kinds">["kinds"],
): Promise<string[]> {
  const settings: string[] = [];
  for (const { key, needed, secret, meaning } of kinds.find((kind) => kind.type === type)?.keys ?? []) {
    if (!needed) continue;
    const message = `${key}: ${meaning}`;
    settings.push(`${key}=${await typed(secret ? prompts.password({ message }) : prompts.text({ message }))}`);
  }
  return settings;
}

/** What may fail because of another machine comes first: then nothing else is done. */
async function apply({ setting, ...answers }: SetupAnswers, caller: SocketCaller): Promise<number> {
  const { timezone, url, destination, administrator, watch } = Object.fromEntries(
    QUESTIONS.map((name) => [name, answers[name] === NONE ? undefined : answers[name]]),
  ) as Partial<Record<SetupQuestion, string>>;
  const steps = [
    destination !== undefined && (() => addDestination(destination, setting ?? [], caller)),
    (timezone ?? url) !== undefined &&
      (() => runOperation(caller, "server set", { timezone: timezone ?? null, url: url ?? null }, null)),
    administrator !== undefined &&
      (() => runOperation(caller, "user create", { name: administrator, role: "admin" }, null)),
    watch !== undefined && (() => sayFirst(watch, url ?? addressHere(caller), caller)),
  ];
  for (const step of steps) {
    const exitCode = step === false ? DONE : await step();
    if (exitCode === DONE) continue;
    say(caller.io, "what comes after that was not done: give `rollcall setup` again, with none for what is done");
    return exitCode;
  }
  return DONE;
}

const addDestination = (type: string, settings: readonly string[], caller: SocketCaller): Promise<number> =>
  runOperation(caller, "destination add", { name: type, type, settings }, null);

/** Where jobs on this machine reach it. */
function addressHere({ flags, environment, io }: SocketCaller): string {
  const loaded = loadHere(flags, environment);
  const address = "faults" in loaded ? null : localAddress(loaded.config.server, loaded.config.server.port);
  if (!address?.endsWith(":0")) return address ?? "http://127.0.0.1:8787";
  say(io, "server.listen leaves the port to the system: write the one that the log's line `listening` has for PORT");
  return address.replace(/0$/, "PORT");
}

async function sayFirst(what: string, url: string, caller: SocketCaller): Promise<number> {
  const { io } = caller;
  if (what !== "curl") {
    io.out(what === "discover" ? "sudo rollcall discover --apply" : "rollcall import healthchecks hc.sqlite");
    say(io, "this shows what it would do, and asks; docs/discover.md and docs/import.md say more");
    return DONE;
  }
  const apps = await askService(caller, "app list", {});
  if ("exitCode" in apps) return apps.exitCode;
  const made = await askService(caller, "key create", { application: apps.answer.applications[0]?.slug ?? "" });
  if ("exitCode" in made) return made.exitCode;
  io.out(firstReportLine(url, made.answer.key));
  return DONE;
}
