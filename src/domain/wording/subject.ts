// The line that names an alert: a mail's subject, a chat message's first line. It must be clear without the rest, since
// a lock screen shows nothing else.

import type { AlertData, MonitorNames } from "../message/alert.ts";
import { cleanLine } from "../text.ts";
import { type Instant, MINUTE } from "../time.ts";
import { CAUSES } from "./causes.ts";
import { failedAgo, lasted, oldNews } from "./pause.ts";
import { sinceInSubject } from "./since.ts";
import { durationInWords, shortMoment } from "./spoken-time.ts";

/** Short, so that a list of mails still shows the words after the name. */
export const NAME_SHOWN_LENGTH = 60;

/** The monitor's name as messages show it; never empty. */
export const shownName = (data: Pick<AlertData, "name" | "monitorKey">): string =>
  cleanLine(data.name, NAME_SHOWN_LENGTH) || cleanLine(data.monitorKey, NAME_SHOWN_LENGTH) || "(no name)";

/** What the monitor was called when its incident was first told, if that was another name: `formerly Backup` (R37). */
export function formerName(data: Named): string | null {
  const before = data.formerly == null ? null : shownName(data.formerly);
  return before === null || before === shownName(data) ? null : `formerly ${before}`;
}

export type Named = MonitorNames & { readonly formerly?: MonitorNames | null };

/** The monitor's name, and the one under which its incident was first told: `Nightly (formerly Backup)`. */
export const nameNowAndThen = (data: Named): string => `${shownName(data)}${inParentheses(formerName(data))}`;

export function inParentheses(...parts: readonly (string | null)[]): string {
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

/** How late the message is, in milliseconds, as the end of a subject (R36). */
export const latenessOf = (late: number | null): string =>
  late === null ? "" : `, sent ${latenessInWords(late)} late`;

/** Once a message is a quarter of an hour late, the seconds do not matter. */
export const latenessInWords = (late: number): string => durationInWords(Math.floor(late / MINUTE) * MINUTE);

/** The only application is not named. */
export const inApplication = ({
  applicationId,
  onlyApplication,
}: {
  readonly applicationId: string;
  readonly onlyApplication: boolean;
}): string => inParentheses(onlyApplication ? null : applicationId);

/** State, name and application on one line, and how late it is, in milliseconds, when it is late (R36). */
export function subjectOf(data: AlertData, at: Instant, late: number | null): string {
  const calm = data.kind === "Recovered" || data.kind === "Acknowledged";
  const urgent = data.severity === "critical" && !calm ? "[critical] " : "";
  const state = `${stateOf(data)}${oldNews(data, at, late)}`;
  const more = inParentheses(data.onlyApplication ? null : data.applicationId, formerName(data));
  return `${urgent}${state}: ${shownName(data)}${more}${dueOf(data, at)}${sinceOf(data)}${latenessOf(late)}${sinceInSubject(data)}`;
}

export function troublesInWords({ opening, causes }: Pick<AlertData, "opening" | "causes">): string {
  const words = causes.map((cause) => CAUSES[cause].title);
  const [first, ...others] = opening === "NeverExecuted" ? ["Never reported", ...words.slice(1)] : words;
  return [first ?? "In trouble", ...others.map((word) => `also ${word.toLowerCase()}`)].join(", ");
}

export function stateOf(data: AlertData): string {
  switch (data.kind) {
    case "InitialFailure":
      return CAUSES[data.cause].title;
    case "NeverExecuted":
      return "Never reported";
    case "ContinuedFailure":
      return data.reason === "new_cause" ? `Also ${CAUSES[data.cause].title.toLowerCase()}` : stillAs(data);
    case "Acknowledged":
      return "Acknowledged";
    case "Recovered":
      return closedAs(data);
  }
}

/** It failed once, or had a wrong result: an hour later that is not an hour of failing (R23). */
const tellsSince = ({ causes, troubles }: AlertData): boolean =>
  causes.length === 1 && (causes[0] === "outcome" || (causes[0] === "failed" && troubles === 1));

/** A run that does not end has not certainly failed. Of several causes the worst known one comes first. */
function stillAs(data: AlertData): string {
  const { causes, runningSince } = data;
  if (tellsSince(data)) {
    if (causes[0] === "failed") return `No success since it failed ${durationInWords(failedAgo(data))} ago`;
    const beganAt = Date.parse(data.failedAt ?? data.openedAt);
    return `No good result since ${shortMoment(beganAt, data.timezone, Date.parse(data.openedAt) + lasted(data))}`;
  }
  if (causes.includes("failed")) return "Still failing";
  if (causes.includes("outcome")) return "Still a wrong result";
  if (causes.includes("unfinished")) return "Still not finished";
  if ((runningSince ?? null) !== null) return "Still no success";
  return isReporting(data) ? "Still no report accepted" : "Still missing";
}

/** What it has sent since was refused, also by the rate limit: a job that reports is not missing. */
export const isReporting = ({ refusedReport, openedAt }: AlertData): boolean =>
  refusedReport != null && Date.parse(refusedReport.at) > Date.parse(openedAt);

/** The job had never reported before its incident, and silence was its only trouble. */
export const isFirstReport = ({ opening, reason, causes }: AlertData): boolean =>
  opening === "NeverExecuted" && reason === "success" && causes.every((cause) => cause === "missed");

/** R43: nothing was wrong but that its reports came late. */
export const ranAfterAll = ({ reason, causes, missedSlots, lateSlots, unheardSlots }: AlertData): boolean =>
  reason === "success" &&
  causes.every((cause) => cause === "missed") &&
  (missedSlots ?? 0) + (unheardSlots ?? 0) === 0 &&
  (lateSlots ?? 0) > 0;

function closedAs(data: AlertData): string {
  if (data.reason === "resolved") return "Closed by hand";
  if (data.reason === "withdrawn") return "Withdrawn";
  if (data.reason === "deleted") return "Deleted";
  if (data.reason === "restored") return "Closed by a restore";
  if (ranAfterAll(data)) return "Ran, heard late";
  return isFirstReport(data) ? "Reported for the first time" : "Recovered";
}

/** `, due 03:00`: which report a miss is about. */
function dueOf({ kind, reason, cause, expectedAt, timezone }: AlertData, at: Instant): string {
  const isMiss = cause === "missed" && (kind === "InitialFailure" || reason === "new_cause");
  return isMiss && expectedAt !== null ? `, due ${shortMoment(Date.parse(expectedAt), timezone, at)}` : "";
}

function sinceOf(data: AlertData): string {
  if (data.durationSeconds === null || data.reason === "new_cause") return "";
  if (data.kind === "ContinuedFailure" && tellsSince(data))
    return data.reason === "last_reminder" ? ", last reminder" : "";
  const span = durationInWords(lasted(data));
  if (data.kind === "Recovered" || data.kind === "Acknowledged") return `, after ${span}`;
  return `, for ${span}${data.reason === "last_reminder" ? ", last reminder" : ""}`;
}
