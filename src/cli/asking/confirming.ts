// Asks a person at a terminal before an act that cannot be undone, or that changes several monitors. A script is not
// asked.

import { isImportedPause } from "../../domain/imported-pause.ts";
import { foldedPersonName } from "../../domain/people/person.ts";
import { isPattern, targetMatcherOf } from "../../domain/settings/targets.ts";
import { visibleText } from "../../domain/text.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Answer, Input, OperationName } from "../../engine/operations/operations.ts";
import { alertsOf } from "../../views/rows/destination-rows.ts";
import { canReport, type KeyToRevoke } from "../../views/rows/key-rows.ts";
import { agrees } from "../command-shell.ts";
import { MISUSED, REFUSED } from "../io.ts";
import { addressQuestion, adminKeyQuestion, keyQuestion } from "../screens/application-screens.ts";
import { personQuestion } from "../screens/person-screens.ts";
import { printedMonitorLabel } from "../screens/spoken.ts";
import { say } from "../screens/table.ts";
import { type Ask, askService, type Screen, type ServiceAnswered, type SocketCaller } from "./ask-service.ts";

type Question = string | { readonly exitCode: number };

type Questions = { readonly [Name in OperationName]?: (asked: Partial<Input<Name>>, ask: Ask) => Promise<Question> };

const QUESTIONS: Questions = {
  // If there is no such application, nothing is asked: the service will say what is wrong.
  "app delete": async ({ slug }, ask) =>
    question(await ask("app list", {}), ({ applications }) => {
      const found = applications.find((one) => one.slug === slug);
      return found === undefined ? "" : applicationQuestion(found);
    }),
  "address revoke": async ({ id }, ask) =>
    question(await ask("address list", {}), ({ addresses }, screen) => {
      const found = addresses.find((one) => one.id === id && one.revokedAt === null);
      return found === undefined ? "" : addressQuestion(found, screen);
    }),
  "admin-key revoke": async ({ id }, ask) =>
    question(await ask("admin-key list", {}), ({ keys }, screen) => {
      const found = keys.find((one) => one.id === id && one.revokedAt === null);
      return found === undefined ? "" : adminKeyQuestion(found, screen);
    }),
  "destination remove": async ({ name = "" }, ask) =>
    question(
      await ask("destination list", {}),
      ({ routes }) =>
        `Remove destination ${visibleText(name)}? Alerts (${alertsOf(name, routes)}) no longer go there, and messages that wait for it are given up.`,
    ),
  "key revoke": async ({ id = 0 }, ask) => {
    const shown = await ask("key show", { id });
    if ("exitCode" in shown) return shown;
    const { answer: key } = shown;
    if (key.revokedAt !== null) return "";
    const revoked = await revokedOf(key, ask);
    return "exitCode" in revoked ? revoked : keyQuestion(revoked, shown.screen);
  },
  "member remove": async ({ email = "" }) =>
    `Remove member ${visibleText(email)}? They get no mail of alerts any more.`,
  "monitor delete": async (asked, ask) => question(await ask("monitor show", asked), monitorQuestion),
  "user delete": async ({ name = "" }, ask) =>
    question(await ask("user list", {}), ({ people }, screen) => {
      const found = people.find((one) => foldedPersonName(one.name) === foldedPersonName(name));
      return found === undefined ? "" : personQuestion(found, screen);
    }),
};

/**
 * Asks the person to confirm the operation, if it needs that. Returns `null` when the command may go on, otherwise its
 * exit code.
 */
export async function unconfirmed<Name extends OperationName>(
  caller: SocketCaller,
  name: Name,
  asked: Partial<Input<Name>>,
): Promise<number | null> {
  const questionOf = QUESTIONS[name] as Questions[Name] &
    ((asked: Partial<Input<Name>>, ask: Ask) => Promise<Question>);
  if (!caller.io.input.isTerminal || questionOf === undefined) return null;
  const asking = await questionOf(asked, (other, given) => askService(caller, other, given));
  if (typeof asking !== "string") return asking.exitCode;
  return asking === "" || (await agrees(caller.io, asking)) ? null : REFUSED;
}

function question<Name extends OperationName>(
  answered: ServiceAnswered<Name>,
  words: (answer: Answer<Name>, screen: Screen) => string,
): Question {
  return "exitCode" in answered ? answered : words(answered.answer, answered.screen);
}

const applicationQuestion = ({ slug, monitors }: Answer<"app list">["applications"][number]): string =>
  `Delete application ${slug} with ${counted(monitors, "monitor")}? All of its keys stop at once: jobs that still report ` +
  "with them are refused. Open incidents are closed, and the recovery told. The history goes after 7 days.";

/**
 * Returns the key to revoke, and how many other keys and addresses can report for its application. Returns an exit code
 * when the service gave no answer.
 */
async function revokedOf(key: Answer<"key show">, ask: Ask): Promise<KeyToRevoke | { readonly exitCode: number }> {
  const { application, id } = key;
  const keys = await ask("key list", { application });
  if ("exitCode" in keys) return keys;
  const addresses = await ask("address list", { application });
  if ("exitCode" in addresses) return addresses;
  const all = await ask("app list", {});
  if ("exitCode" in all) return all;
  const isOther = (one: Answer<"key list">["keys"][number]): boolean =>
    one.id !== id && one.revokedAt === null && canReport(one.scope);
  return {
    key,
    jobs: all.answer.applications.find(({ slug }) => slug === application)?.monitors ?? 0,
    named: [],
    others: keys.answer.keys.filter(isOther).length,
    addresses: addresses.answer.addresses.filter(({ revokedAt }) => revokedAt === null).length,
  };
}

function monitorQuestion(monitor: Answer<"monitor show">, screen: Screen): string {
  const { incident } = monitor;
  const closes = incident === null ? "" : ` Incident ${incident.id} is closed, and the recovery told.`;
  return `Delete monitor ${printedMonitorLabel(monitor, screen)}?${closes} Its history goes after 7 days; until then \`monitor undelete\` brings it back.`;
}

// Finds the monitors of a command that changes several: those that a pattern or `--all` names.

type Listed = Answer<"monitor list">["monitors"][number];

const NAMED = 8;

/**
 * Returns the monitors to change, after the person agreed. Returns `null` when the call names one monitor by its key.
 * Returns an exit code when there is no monitor to change or the person refused, after the reason was printed.
 */
export async function chooseMonitors(
  caller: SocketCaller,
  verb: "pause" | "resume",
  { key, application }: { readonly key?: string; readonly application?: string },
  all: boolean,
  yes: boolean,
): Promise<readonly Pick<Listed, "application" | "key">[] | { readonly exitCode: number } | null> {
  const { io } = caller;
  const none = (why: string, exitCode = REFUSED) => {
    say(io, why);
    return { exitCode };
  };
  if (all ? key !== undefined : key === undefined)
    return none("error: name a monitor, a pattern such as 'backup-*', label:db, or --all", MISUSED);
  if (key !== undefined && !isPattern(key)) return null;
  const listed = await askService(caller, "monitor list", application === undefined ? {} : { application });
  if ("exitCode" in listed) return listed;
  const reaches = targetMatcherOf(all ? [] : [key ?? ""]);
  const meantOnes = listed.answer.monitors.filter(({ key, labels }) => reaches(key, labels));
  const open = meantOnes.filter((monitor) => wouldChange(verb, monitor));
  const asleep = verb === "resume" ? open.filter(isPausedByImport) : [];
  const monitors = open.filter((monitor) => !asleep.includes(monitor));
  const namesOf = (some: readonly Listed[]): string => {
    const names = some.slice(0, NAMED).map((monitor) => printedMonitorLabel(monitor, listed.screen));
    return `${names.join(", ")}${some.length > NAMED ? ` and ${some.length - NAMED} more` : ""}`;
  };
  if (asleep.length > 0) {
    const isOne = asleep.length === 1;
    const why = `${counted(asleep.length, "monitor")} will stay paused, because ${isOne ? "its" : "their"} old service had paused ${isOne ? "it" : "them"}: ${namesOf(asleep)}; \`rollcall monitor resume KEY\` resumes one by its name`;
    if (monitors.length === 0) return none(why);
    say(io, why);
  }
  if (monitors.length === 0) return none(whyNone(verb, meantOnes.length));
  const question = `${verb === "pause" ? "Pause" : "Resume"} ${counted(monitors.length, "monitor")}: ${namesOf(monitors)}?`;
  if (!yes && !(await agrees(io, question))) return { exitCode: REFUSED };
  return monitors.map(({ application, key }) => ({ application, key }));
}

/**
 * Whether the command `verb` would change this monitor. `pause` only pauses a monitor without a pause by hand, and
 * `resume` ends only pauses by hand. Pauses of other kinds end by other commands.
 */
const wouldChange = (verb: "pause" | "resume", { pauses: { manual } }: Listed): boolean =>
  verb === "pause" ? manual === null : manual !== null;

/**
 * Whether an import paused this job because the job's old service had paused it. Such a job would raise an alarm at
 * once when it is resumed, so a command must name it by its key: a pattern leaves it out.
 */
const isPausedByImport = ({ pauses: { manual } }: Listed): boolean => isImportedPause(manual?.asked?.reason ?? null);

function whyNone(verb: "pause" | "resume", count: number): string {
  if (count === 0) return "there is no such monitor; `rollcall monitor list` shows all";
  if (verb === "resume")
    return `${count === 1 ? "this monitor has no" : `none of these ${count} monitors has a`} pause by hand`;
  return `${count === 1 ? "this monitor has" : `all these ${count} monitors have`} a pause by hand already`;
}
