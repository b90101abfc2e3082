// The end of a message: facts as a list, links, and who sends it. What alert-words.ts says is not repeated here.

import { NAME_LENGTH, NOTE_LENGTH, SCHEDULE_LENGTH } from "../limits.ts";
import type { AlertData } from "../message/alert.ts";
import { expectedInWords } from "../monitor/reported-outcomes.ts";
import { hasSlots } from "../schedule/rhythm.ts";
import { cleanLine } from "../text.ts";
import { type Instant, SECOND } from "../time.ts";
import { CAUSES } from "./causes.ts";
import { shownName } from "./job-names.ts";
import type { Times } from "./message-times.ts";
import { scheduleInWords } from "./schedule-words.ts";
import { exactDuration, intervalInWords } from "./spoken-time.ts";
import type { Fact, Link } from "./types.ts";

/** The facts, the most important first. Facts that do not apply, or that the message has told, are left out. */
export function alertFacts(data: AlertData, at: Instant, times: Times): Fact[] {
  const { timezone, graceSeconds, maxRuntimeSeconds, lastPingAt } = data;
  const isTold = data.kind !== "Recovered" && (data.reason === "opened" || data.reason === "new_cause");
  const told = isTold ? CAUSES[data.cause].tells : [];
  const rows: [string, string | null][] = [
    ["Note", data.note],
    ["Name", cutName(data)],
    ["Monitor", keyInWords(data)],
    ["Application", data.onlyApplication ? null : applicationOf(data)],
    ["Environment", data.environment],
    ["Severity", data.severity],
    ["Owner", data.owner],
    ["Schedule", scheduleOf(data, times)],
    ["Grace", hasSlots(data) ? exactDuration(graceSeconds * SECOND) : null],
    ["Max runtime", maxRuntimeSeconds === null ? null : exactDuration(maxRuntimeSeconds * SECOND)],
    ["Missed", data.expectedAt === null || told.includes("Missed") ? null : times.say(data.expectedAt, timezone)],
    ["Run", data.runId],
    ["Last report", lastPingAt === null ? "never" : lastReport(Date.parse(lastPingAt), data, at, times)],
    ["As expected", passedOf(data)],
    ["Incident", data.incidentId],
  ];
  return rows.flatMap(([label, value]) => {
    const text = cleanLine(value ?? "", NOTE_LENGTH);
    return text === "" || told.includes(label) ? [] : [{ label, value: text }];
  });
}

function cutName(data: AlertData): string | null {
  const name = cleanLine(data.name, NAME_LENGTH);
  return name === "" || name === shownName(data) ? null : name;
}

/** The monitor's key. If the incident was first told under another key, that one follows (R37). */
function keyInWords({ monitorKey, formerly }: AlertData): string {
  const key = cleanLine(monitorKey, NAME_LENGTH);
  const before = formerly == null ? key : cleanLine(formerly.monitorKey, NAME_LENGTH);
  return before === key ? key : `${key} (formerly ${before})`;
}

/** When the last report came. `null` when the alert is about that very report, because the message tells it already. */
const lastReport = (
  reportedAt: Instant,
  { happenedAt, timezone }: AlertData,
  at: Instant,
  times: Times,
): string | null =>
  reportedAt === (happenedAt == null ? at : Date.parse(happenedAt)) ? null : times.say(reportedAt, timezone);

/**
 * The schedule, with its words if any are found, or the interval; `null` without both. The zone is added only if no
 * time in the message has named it.
 */
function scheduleOf({ schedule, everySeconds, timezone }: AlertData, times: Times): string | null {
  if (everySeconds != null) return `at least ${intervalInWords(everySeconds)}`;
  if (schedule === null) return null;
  const words = scheduleInWords(schedule);
  const shown = `${cleanLine(schedule, SCHEDULE_LENGTH)}${times.haveSaid(timezone) ? "" : ` (${timezone})`}`;
  return words === null ? shown : `${shown}: ${words}`;
}

/** The outcomes that passed their check. Those that failed are named by the message itself (R27). */
function passedOf({ outcomes }: AlertData): string | null {
  const passed = (outcomes ?? []).filter(({ verdict }) => verdict === "passed");
  return passed.map(({ key, observed, expected }) => `${key} was ${observed}, ${expectedInWords(expected)}`).join("; ");
}

function applicationOf({ applicationId, applicationName }: AlertData): string {
  const name = cleanLine(applicationName ?? "", NAME_LENGTH);
  return name === "" ? applicationId : `${applicationId} (${name})`;
}

export function signatureOf({ teamName }: Pick<AlertData, "teamName">, watched: "this job" | "your jobs"): string {
  const team = cleanLine(teamName ?? "", NAME_LENGTH);
  return `Sent by rollcall${team === "" ? "" : ` for ${team}`}, which watches ${watched}.`;
}

/** The links of a message: rollcall's own pages, then those of the monitor's owner. Only http and https pass (R38). */
export function linksOf(data: AlertData): Link[] {
  const own = [
    ...(data.url === null ? [] : [{ label: "Incident", url: data.url }]),
    ...(data.answerUrl === undefined ? [] : [{ label: "Acknowledge", url: data.answerUrl }]),
  ];
  const others = Object.entries(data.links).map(([label, url]) => ({
    label: cleanLine(label, NAME_LENGTH) || url,
    url,
  }));
  return [...own, ...others].filter((link) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(link.url));
}
