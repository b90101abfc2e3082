// Writes the subject of an alert. A lock screen may show nothing else, so the subject must be clear by itself.

import type { AlertData, AlertKind } from "../message/alert.ts";
import {
  failedAtOf,
  heardAtOf,
  isFirstReport,
  isReported,
  ranAfterAll,
  runMilliseconds,
  tellsSince,
} from "../message/alert-state.ts";
import type { Cause } from "../monitor/incident.ts";
import { type Instant, MINUTE } from "../time.ts";
import { CAUSES } from "./causes.ts";
import { troubledInWords } from "./history.ts";
import { formerName, inParentheses, shownName } from "./job-names.ts";
import { shortMoment } from "./moments.ts";
import { sinceInSubject } from "./since-words.ts";
import { durationInWords } from "./spoken-time.ts";

/** The end of a subject that says how late the message is. `late` is in milliseconds; `null` when not late (R36). */
export const latenessOf = (late: number | null): string =>
  late === null ? "" : `, sent ${latenessInWords(late)} late`;

/** How late a message is, without seconds: they say nothing of a message that is over 15 minutes late. */
export const latenessInWords = (late: number): string => durationInWords(Math.floor(late / MINUTE) * MINUTE);

/**
 * Writes the subject: what happened, the job's name and its application. `late` is by how many milliseconds the message
 * is late; `null` when it is not (R36).
 */
export function subjectOf(data: AlertData, at: Instant, late: number | null): string {
  const calm = data.kind === "Recovered" || data.kind === "Acknowledged";
  const urgent = data.severity === "critical" && !calm ? "[critical] " : "";
  const state = `${stateOf(data)}${oldNews(data, at, late)}`;
  const more = inParentheses(data.onlyApplication ? null : data.applicationId, formerName(data));
  return `${urgent}${state}: ${shownName(data)}${more}${dueOf(data, at)}${lastsInWords(data, at)}${latenessOf(late)}${sinceInSubject(data)}`;
}

/** What lists call a kind of message. A kind that this version does not know is shown as it is. */
export const alertTitle = (kind: string): string => (Object.hasOwn(TITLES, kind) ? TITLES[kind as AlertKind] : kind);

const TITLES: Record<AlertKind, string> = {
  InitialFailure: "Trouble began",
  NeverExecuted: "Never reported",
  ContinuedFailure: "Trouble goes on",
  Acknowledged: "Acknowledged",
  Recovered: "Trouble ended",
};

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

/**
 * Of an incident's causes a subject tells only the worst, which is the first of these. An unfinished run comes after a
 * failure, because it may still end well.
 */
const WORST_FIRST = ["failed", "outcome", "unfinished", "missed"] as const satisfies readonly Cause[];

function stillAs(data: AlertData): string {
  if (data.flapping != null) return data.flapping.failed ? "Failing on and off" : "In trouble on and off";
  return CAUSES[WORST_FIRST.find((cause) => data.causes.includes(cause))!].still(data);
}

function closedAs(data: AlertData): string {
  if (data.reason === "resolved") return "Closed by hand";
  if (data.reason === "withdrawn") return "Withdrawn";
  if (data.reason === "deleted") return "Deleted";
  if (data.reason === "restored") return "Closed by a restore";
  if (ranAfterAll(data)) return "Ran, heard late";
  return isFirstReport(data) ? "Reported for the first time" : "Recovered";
}

/** The end of a subject that says which report is missing: `, due 03:00`; empty unless the alert tells a new miss. */
function dueOf({ kind, reason, cause, expectedAt, timezone }: AlertData, at: Instant): string {
  const isMiss = cause === "missed" && (kind === "InitialFailure" || reason === "new_cause");
  return isMiss && expectedAt !== null ? `, due ${shortMoment(Date.parse(expectedAt), timezone, at)}` : "";
}

function lastsInWords(data: AlertData, at: Instant): string {
  if (data.durationSeconds === null || data.reason === "new_cause") return "";
  const last = data.reason === "last_reminder" ? ", last reminder" : "";
  if (data.flapping != null && data.kind === "ContinuedFailure")
    return `, since ${shortMoment(Date.parse(data.flapping.since), data.timezone, at)}, ${data.flapping.times} times${last}`;
  if (data.flapping != null)
    return `, ${troubledInWords(data.flapping, (iso) => shortMoment(Date.parse(iso), data.timezone, at))}`;
  if (data.kind === "ContinuedFailure" && tellsSince(data)) return last;
  const span = durationInWords(runMilliseconds(data));
  if (data.kind === "Recovered" || data.kind === "Acknowledged") return `, after ${span}`;
  return `, for ${span}${last}`;
}

/**
 * A fail that people are told of more than this many milliseconds after it happened is old news, as after a pause. Its
 * subject then says when it happened.
 */
const OLD = 15 * MINUTE;

/**
 * What a subject says of old news, such as ` at 08:30, heard now`; empty when the fail is not old. `late` is by how
 * many milliseconds the message is late; `null` when it is not.
 */
function oldNews(data: AlertData, at: Instant, late: number | null): string {
  const failedAt = failedAtOf(data, at);
  if (!isReported(data) || at - failedAt <= OLD) return "";
  const heardAt = heardAtOf(data, at);
  const told = heardAt === at ? "heard" : "told";
  const when = late === null ? "now" : `at ${shortMoment(at, data.timezone, failedAt)}`;
  return ` at ${shortMoment(failedAt, data.timezone, at)}, ${told} ${when}`;
}
