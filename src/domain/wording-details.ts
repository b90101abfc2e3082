// The second half of what an alert says: what to do now, the facts as a list, where to look, and who says it. Must
// not retell what happened; that is wording-alert.ts.

import type { AlertData } from "./alert.ts";
import { cleanLine } from "./clean-text.ts";
import { NAME_LENGTH, SCHEDULE_LENGTH } from "./limits.ts";
import { type CheckedOutcome, expectedInWords } from "./outcomes.ts";
import { durationInWords, momentInWords } from "./spoken-time.ts";
import { SECOND } from "./time.ts";
import type { Fact, Link } from "./wording.ts";

/** What to do and what comes next, one sentence or two each. */
export function adviceOf(data: AlertData): string[] {
  if (data.kind === "Recovered") return [...afterTheEnd(data), ...nextRun(data)];
  if (data.kind === "Acknowledged") return ["No more reminders follow.", ...nextRun(data)];
  return [...zoneToCheck(data), whatToCheck(data), ...nextRun(data), ...lastReminder(data)];
}

/** R13: before all else, since it may be all that is wrong. */
const zoneToCheck = ({ zoneHint }: AlertData): string[] => (zoneHint === null ? [] : [zoneHint]);

function whatToCheck(data: AlertData): string {
  if (data.kind === "NeverExecuted") {
    return "Check that the job is installed and enabled, and that it calls the address of this monitor with a valid key.";
  }
  switch (data.cause) {
    case "missed":
      return "Check that the machine and its scheduler are up, that the job was started, and that it can reach this server.";
    case "failed":
      return "Read the job's own log of that time.";
    case "unfinished":
      return "Check whether the job hangs or was killed. If it may take this long, set a larger max_runtime for it.";
    case "outcome":
      return `Check what the job produced before anything relies on it.${howToReport(data.outcomes)}`;
  }
}

/** R27: what is missing is more often a report of the wrong kind than a job that knows no number. */
const howToReport = (outcomes: readonly CheckedOutcome[] | null): string =>
  outcomes?.some(({ observed }) => observed === null)
    ? " What is missing was not sent: only a POST to complete with a JSON body carries outcomes, a heartbeat has none."
    : "";

function afterTheEnd(data: AlertData): string[] {
  if (data.reason === "resolved") return ["Whether the job works shows with its next report."];
  if (data.reason === "withdrawn") return ["It is paused until its source declares it again."];
  return [];
}

function nextRun(data: AlertData): string[] {
  if (data.nextExpectedAt === null || data.reason === "deleted" || data.reason === "withdrawn") return [];
  const next = `The next report is expected at ${momentInWords(Date.parse(data.nextExpectedAt), data.timezone)}`;
  return [data.kind === "Recovered" ? `${next}.` : `${next}; a success closes the incident.`];
}

function lastReminder(data: AlertData): string[] {
  if (data.reason !== "last_reminder") return [];
  return ["No more reminders follow. You will hear when it recovers, or when it fails in a new way."];
}

/** The facts in the order in which people look for them; what does not apply is left out. */
export function factsOf(data: AlertData): Fact[] {
  const moment = (iso: string | null): string | null =>
    iso === null ? null : momentInWords(Date.parse(iso), data.timezone);
  const duration = (seconds: number | null): string | null =>
    seconds === null ? null : durationInWords(seconds * SECOND);
  const rows: [string, string | null][] = [
    ["Monitor", cleanLine(data.monitorKey, NAME_LENGTH)],
    ["Application", applicationOf(data)],
    ["Environment", data.environment],
    ["Severity", data.severity],
    ["Owner", data.owner],
    ["Schedule", data.schedule === null ? null : `${cleanLine(data.schedule, SCHEDULE_LENGTH)} (${data.timezone})`],
    ["Grace", data.schedule === null ? null : duration(data.graceSeconds)],
    ["Max runtime", duration(data.maxRuntimeSeconds)],
    ["Expected", moment(data.expectedAt)],
    ["Run", data.runId],
    ["Run started", moment(data.runStartedAt)],
    ["Opened", moment(data.openedAt)],
    ["Closed", moment(data.recoveredAt)],
    ["Lasted", duration(data.durationSeconds)],
    ["Last report", data.lastPingAt === null ? "never" : moment(data.lastPingAt)],
    ...(data.outcomes ?? []).map(({ key, observed, expected }): [string, string] => [
      `Outcome ${key}`,
      `${observed ?? "missing"}, ${expectedInWords(expected)}`,
    ]),
    ["Incident", data.incidentId],
  ];
  return rows.flatMap(([label, value]) => {
    const text = cleanLine(value ?? "", SCHEDULE_LENGTH);
    return text === "" ? [] : [{ label: cleanLine(label, NAME_LENGTH), value: text }];
  });
}

function applicationOf({ applicationId, applicationName }: AlertData): string {
  const name = cleanLine(applicationName ?? "", NAME_LENGTH);
  return name === "" ? applicationId : `${applicationId} (${name})`;
}

/** Who says it, and for whom. `watched`: what it is about. */
export function signatureOf({ teamName }: Pick<AlertData, "teamName">, watched: "this job" | "your jobs"): string {
  const team = cleanLine(teamName ?? "", NAME_LENGTH);
  return `Sent by rollcall${team === "" ? "" : ` for ${team}`}, which watches ${watched}.`;
}

/** Where to look: our own page first, then the owner's links (R38: http and https only). */
export function linksOf(data: AlertData): Link[] {
  const own = data.url === null ? [] : [{ label: "Monitor", url: data.url }];
  const others = Object.entries(data.links).map(([label, url]) => ({ label: cleanLine(label, NAME_LENGTH), url }));
  return [...own, ...others].filter((link) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(link.url));
}
