// `rollcall monitor show`: everything the running service knows of one monitor, for people or as JSON.

import type { GapReason } from "../domain/gap.ts";
import { expectedInWords } from "../domain/outcomes.ts";
import type { Setting, ValueSource } from "../engine/operators-contract.ts";
import type { ListedIncident, ShownMonitor, ShownPing, ShownRun, ShownUnknown } from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import type { Named } from "./monitor-commands.ts";
import { REFUSED_HEAD, refusedRow } from "./refused-commands.ts";
import { askService, type Caller } from "./socket-client.ts";
import { moment, seconds, shortText, shortTime } from "./spoken.ts";
import { formatFacts, formatTable } from "./table.ts";

/** Exit code 0, or 1 when there is no such monitor. */
export async function runMonitorShow(caller: Caller, { key, application }: Named, asJson: boolean): Promise<number> {
  const query = new URLSearchParams({ key });
  if (application !== null) query.set("application", application);
  const answer = await askService<ShownMonitor>(caller, { method: "GET", path: `/monitors/show?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const lines = asJson ? [JSON.stringify(answer.body, null, 2)] : linesOf(answer.body);
  for (const line of lines) caller.io.out(line);
  return DONE;
}

const linesOf = (monitor: ShownMonitor): string[] => [
  ...formatFacts(factsOf(monitor)),
  ...section("Runs", RUN_HEAD, monitor.runs.map(runRow)),
  ...(monitor.runs.some(({ state }) => state === "incomplete") ? INCOMPLETE : []),
  ...section("Unknown, because rollcall could not hear", UNKNOWN_HEAD, monitor.unknowns.map(unknownRow)),
  ...section("Last reports", ...pingTable(monitor.pings)),
  ...section("Refused reports", REFUSED_HEAD, monitor.refused.map(refusedRow)),
];

type Fact = readonly [name: string, text: string];

function factsOf(monitor: ShownMonitor): Fact[] {
  const { settings, routing, timezone, incident } = monitor;
  const at = (iso: string | null, otherwise: string): string => (iso === null ? otherwise : moment(iso, timezone));
  return [
    ["application", monitor.application],
    ["key", monitor.key],
    ["name", inForce(settings.name, (name) => name)],
    ["status", monitor.status],
    ...pauseFacts(monitor),
    ["schedule", inForce(settings.schedule, (schedule) => schedule ?? "none")],
    ["timezone", inForce(settings.timezone, (zone) => zone)],
    ["grace", inForce(settings.graceSeconds, seconds)],
    ["max runtime", inForce(settings.maxRuntimeSeconds, (count) => (count === null ? "none" : seconds(count)))],
    ["alerts after", `${settings.alertAfterMisses} missed in a row, ${settings.alertAfterFailures} failed in a row`],
    ...settings.maintenance.map((window): Fact => {
      const zone = window.timezone === null ? "" : ` ${window.timezone}`;
      return ["maintenance", `${window.schedule}${zone}, for ${seconds(window.durationSeconds)}`];
    }),
    ...settings.outcomes.map((expectation): Fact => {
      const otherwise = expectation.onFailure === "warn" ? ", else a warning" : "";
      return ["outcome", `${expectation.name}: ${expectedInWords(expectation)}${otherwise}`];
    }),
    ["expected", monitor.status === "paused" ? "nothing while it is paused" : at(monitor.expectedAt, "never")],
    ...(monitor.zoneHint === null ? [] : [["zone hint", monitor.zoneHint] satisfies Fact]),
    ["last report", at(monitor.lastPingAt, "never")],
    ["last success", at(monitor.lastSuccessAt, "never")],
    ["incident", incident === null ? "none open" : incidentInWords(incident, timezone)],
    ["alerts go to", routing.destinations.join(", ") || "nobody"],
    ...(routing.unreachable === null ? [] : [["", `they cannot be delivered: ${routing.unreachable}`] satisfies Fact]),
    ...drillFacts(monitor),
    ["severity", routing.severity],
    ...(routing.owner === null ? [] : [["owner", routing.owner] satisfies Fact]),
    ...(routing.environment === null ? [] : [["environment", routing.environment] satisfies Fact]),
    ...Object.entries(routing.links).map(([name, url]): Fact => [name, url]),
    ...declarationFacts(monitor),
    ["created", at(monitor.createdAt, "")],
    ["changed", at(monitor.updatedAt, "")],
  ];
}

/** Longer metadata is for programs, which get all of it as JSON. */
const METADATA_SHOWN = 200;

/** Which registry declared it last, and what it said besides (R30). */
function declarationFacts({ declaration, timezone }: ShownMonitor): Fact[] {
  if (declaration === null) return [];
  const { source, version, declaredAt, metadata } = declaration;
  return [
    ["source", version === null ? source : `${source}, version ${version}`],
    ["declared", moment(declaredAt, timezone)],
    ...(metadata === null ? [] : [["metadata", shortText(JSON.stringify(metadata), METADATA_SHOWN)] satisfies Fact]),
  ];
}

const SOURCES: Readonly<Record<ValueSource, string>> = {
  configuration: "configuration",
  declared: "declared",
  application: "the application's",
  server: "the server's",
  key: "from its key",
  default: "default",
};

/** `30 minutes (configuration; declared 1 minute)`: what counts, why, and what it hides (R31). */
function inForce<Value>({ value, from, declared }: Setting<Value>, show: (value: Value) => string): string {
  const hidden = from === "configuration" && declared !== null && declared !== value;
  return `${show(value)} (${SOURCES[from]}${hidden ? `; declared ${show(declared)}` : ""})`;
}

function pauseFacts({ pauses, timezone }: ShownMonitor): Fact[] {
  const reasons: string[] = [];
  if (pauses.manual !== null)
    reasons.push(
      pauses.manual.until === null ? "until it is resumed" : `until ${moment(pauses.manual.until, timezone)}`,
    );
  if (pauses.discovery) reasons.push("until its source declares it again");
  if (pauses.plan) reasons.push("until its source declares it while its application has room");
  return reasons.map((reason) => ["paused", reason]);
}

function incidentInWords(incident: ListedIncident, timezone: string): string {
  const { id, openedAt, causes, message, acknowledgedAt, remindAt } = incident;
  const said = message === null ? "" : `: ${message}`;
  const next =
    acknowledgedAt !== null
      ? `acknowledged at ${moment(acknowledgedAt, timezone)}`
      : remindAt === null
        ? "no reminder follows"
        : `next reminder at ${moment(remindAt, timezone)}`;
  return `${id}, open since ${moment(openedAt, timezone)}, ${causes.join(" and ")}${said}; ${next}`;
}

/** What proves that its alerts arrive, and when that was last seen. */
function drillFacts({ drill, timezone }: ShownMonitor): Fact[] {
  if (drill === null) return [];
  const { everySeconds, dueAt, last } = drill;
  const next: Fact = ["drill", `every ${seconds(everySeconds)}, the next at ${moment(dueAt, timezone)}`];
  if (last === null) return [next];
  const addresses = last.deliveries.map(({ destination, recipient, state, answer }) => {
    const address = recipient === null ? destination : `${destination} (${recipient})`;
    return `${address}: ${state === "sent" ? "delivered" : state === "given_up" ? "given up" : "on its way"}${
      answer === null ? "" : `, ${answer}`
    }`;
  });
  return [
    next,
    ["last drill", `${moment(last.at, timezone)}, ${last.outcome ?? "on its way"}`],
    ...addresses.map((text): Fact => ["", text]),
  ];
}

const section = (title: string, head: readonly string[], rows: readonly string[][]): string[] =>
  rows.length === 0 ? [] : ["", `${title}:`, ...formatTable(head, rows)];

const INCOMPLETE = [
  "incomplete: no end was reported, and no alarm raised. A later run succeeded (set maxRuntime to be told of runs that hang),",
  "another one started under the same run_id, the time for it ended under a pause, or over 100 runs were open.",
];

const RUN_HEAD = ["RUN", "RUN ID", "ATTEMPT", "STATE", "STARTED", "DEADLINE", "ENDED", "DURATION"];

const runRow = (run: ShownRun): string[] => [
  String(run.number),
  run.runId ?? "-",
  run.attempt === null ? "-" : String(run.attempt),
  run.endedBy === null ? run.state : `${run.state} by ${run.endedBy}${run.legacy ? ", legacy" : ""}`,
  shortTime(run.startedAt),
  // Of a run that has ended it is of no use any more.
  shortTime(run.endedAt === null ? run.deadline : null),
  shortTime(run.endedAt),
  durationCell(run.durationSeconds),
];

const UNKNOWN_HEAD = ["WHAT", "JUDGED", "FROM", "TO", "ROLLCALL"];

const unknownRow = ({ at, slot, slots, runId, runStartedAt, gap }: ShownUnknown): string[] => [
  slot === null
    ? `the end of ${runId === null ? "the run" : `run ${runId}`} of ${shortTime(runStartedAt)}`
    : `the report due ${shortTime(slot)}${slots > 1 ? ` and ${slots - 1} after it` : ""}`,
  shortTime(at),
  shortTime(gap.from),
  shortTime(gap.to),
  WHAT_ROLLCALL_DID[gap.reason],
];

const WHAT_ROLLCALL_DID: Readonly<Record<GapReason, string>> = {
  stopped: "was not running",
  stalled: "stood still",
  clock: "had its clock set ahead",
  storage: "could not store anything",
};

const PING_HEAD = ["AT", "REPORT", "RUN", "RUN ID", "ATTEMPT", "DURATION", "MESSAGE"];

/** Outcomes are a column only where there are some: most jobs report none. */
function pingTable(pings: readonly ShownPing[]): [head: readonly string[], rows: readonly string[][]] {
  if (pings.every(({ outcomes }) => outcomes === null)) return [PING_HEAD, pings.map(pingRow)];
  return [[...PING_HEAD, "OUTCOMES"], pings.map((ping) => [...pingRow(ping), outcomesCell(ping)])];
}

const MESSAGE_SHOWN = 80;

const pingRow = (ping: ShownPing): string[] => [
  shortTime(ping.at),
  ping.kind,
  ping.runNumber === null ? "-" : String(ping.runNumber),
  ping.runId ?? "-",
  ping.attempt === null ? "-" : String(ping.attempt),
  durationCell(ping.durationSeconds),
  ping.message === null ? "-" : shortText(ping.message, MESSAGE_SHOWN),
];

const outcomesCell = ({ outcomes }: ShownPing): string =>
  outcomes === null
    ? "-"
    : Object.entries(outcomes)
        .map(([name, value]) => `${name}=${value}`)
        .join(" ");

const durationCell = (count: number | null): string => (count === null ? "-" : seconds(count));
