// The last part of what a message says: the facts as a list, where to look, and who says it. Must not repeat what
// wording-alert.ts tells of the same alert.

import type { AlertData } from "./alert.ts";
import { cleanLine } from "./clean-text.ts";
import { NAME_LENGTH, SCHEDULE_LENGTH } from "./limits.ts";
import { expectedInWords } from "./outcomes.ts";
import { durationInWords, momentInWords } from "./spoken-time.ts";
import { type Instant, SECOND } from "./time.ts";
import type { Fact, Link } from "./wording.ts";
import { shownName } from "./wording-subject.ts";

/** The facts in the order in which people look for them; what does not apply or has been told is left out. */
export function factsOf(data: AlertData, at: Instant): Fact[] {
  const { timezone, graceSeconds, maxRuntimeSeconds, lastPingAt } = data;
  const rows: [string, string | null][] = [
    ["Name", cutName(data)],
    ["Monitor", cleanLine(data.monitorKey, NAME_LENGTH)],
    ["Application", applicationOf(data)],
    ["Environment", data.environment],
    ["Severity", data.severity],
    ["Owner", data.owner],
    ["Schedule", data.schedule === null ? null : `${cleanLine(data.schedule, SCHEDULE_LENGTH)} (${timezone})`],
    ["Grace", data.schedule === null || tells(data, "missed") ? null : durationInWords(graceSeconds * SECOND)],
    [
      "Max runtime",
      maxRuntimeSeconds === null || tells(data, "unfinished") ? null : durationInWords(maxRuntimeSeconds * SECOND),
    ],
    ["Missed", data.expectedAt === null || tells(data, "missed") ? null : momentOf(data.expectedAt, timezone)],
    ["Run", data.runId],
    ["Last report", lastPingAt === null ? "never" : lastReport(Date.parse(lastPingAt), at, timezone)],
    ["As expected", passedOf(data)],
    ["Incident", data.incidentId],
  ];
  return rows.flatMap(([label, value]) => {
    const text = cleanLine(value ?? "", SCHEDULE_LENGTH);
    return text === "" ? [] : [{ label, value: text }];
  });
}

/** An ISO instant as people say it. */
export const momentOf = (iso: string, timezone: string): string => momentInWords(Date.parse(iso), timezone);

/** Whether the story of the alert is about this cause, and so has said what was allowed. */
const tells = ({ kind, cause, reason }: AlertData, told: AlertData["cause"]): boolean =>
  kind !== "Recovered" && cause === told && (reason === "opened" || reason === "new_cause");

/** In full where it is too long for a sentence. */
function cutName(data: AlertData): string | null {
  const name = cleanLine(data.name, NAME_LENGTH);
  return name === "" || name === shownName(data) ? null : name;
}

/** The report that the alert tells of is not its last one for whoever reads it. */
const lastReport = (reportedAt: Instant, at: Instant, timezone: string): string | null =>
  reportedAt === at ? null : momentInWords(reportedAt, timezone);

/** What failed its check stands in the message (R27). */
function passedOf({ outcomes }: AlertData): string | null {
  const passed = (outcomes ?? []).filter(({ verdict }) => verdict === "passed");
  return passed.map(({ key, observed, expected }) => `${key} was ${observed}, ${expectedInWords(expected)}`).join("; ");
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
  const others = Object.entries(data.links).map(([label, url]) => ({
    label: cleanLine(label, NAME_LENGTH) || url,
    url,
  }));
  return [...own, ...others].filter((link) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(link.url));
}
