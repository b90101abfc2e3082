// Decides how a refused report counts (R26, R33): who is told of it, when, and which alert it explains. Pure.

import type { Watch } from "../monitor/monitor.ts";
import { slotsAround } from "../schedule/slots.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../time.ts";
import type { Alert } from "./alert.ts";

/** Of the reports that a rate limit refuses in one minute, a further one is examined only if it ranks higher. */
export const rankOf = (kind: string | null): number => (kind === "log" ? 0 : kind === "fail" ? 2 : 1);

/**
 * Whether a report that the rate limit refused at `at` shows that the job is alive and may fill a slot (R26). `mayMove`
 * is true for the first report of its minute and for every report of an interval, because each restarts the interval
 * (R44). `fillsFrom` is when a report begins to fill the next slot; `null` when no slot is expected.
 */
export const isEvidence = (kind: string | null, mayMove: boolean, fillsFrom: Instant | null, at: Instant): boolean =>
  // An accepted log would not have filled anything either (R5).
  kind !== "log" && (mayMove || (fillsFrom !== null && at >= fillsFrom));

/**
 * Whether a notice names the report (R33). For a job without a monitor it always does. Otherwise it names failures,
 * reports that a rate limit refused, reports with a revoked key, which may be in wrong hands, and mails, because a
 * device may have written of a failure (R47). Any other refused report is named by the alert of the miss that it
 * explains.
 */
export function isWorthNaming({ kind, code, field }: NamedRefusal, isWatched: boolean): boolean {
  // Rate limits are recorded only for monitors, so a job without a monitor was deleted since.
  if (code === "RATE_LIMIT_EXCEEDED") return isWatched;
  return !isWatched || kind === "fail" || isRevoked(code) || field === MAIL || field === MAIL_RULE;
}

type NamedRefusal = Readonly<{ kind: string | null; code: string; field: string }>;

/**
 * The word before the colon of a sentence about a mail, which is stored as the field of the report: `mail` when the
 * mail was refused, `mail_rule` when it was recorded but is unclear (R47).
 */
export const MAIL = "mail";
export const MAIL_RULE = "mail_rule";

/** Of the refused reports that are stored, only those with a revoked key have this code (R3). */
export const isRevoked = (code: string): boolean => code === "AUTHENTICATION_REQUIRED";

/**
 * The instant from which refused reports may explain the alert: after the last report that counted. For a miss it is
 * also after the slot before, because older reports are about that one; for a run without its end it is after its
 * start. `null` when the alert is about something else.
 */
export function explainsSince(alert: Alert, createdAt: Instant): Instant | null {
  const { reason, cause, run, receivedAt, watch, incident } = alert;
  if (!TROUBLE.includes(reason)) return null;
  if (cause === "missed")
    return Math.max(receivedAt ?? createdAt - 1, slotBefore(watch, incident.expectedAt) ?? createdAt - 1);
  return cause === "unfinished" ? (run?.startedAt ?? receivedAt) : null;
}

/** `null` when the first slot was missed, or when the missed slot is not known. */
function slotBefore({ schedule, timezone, everySeconds }: Watch, slot: Instant | null): Instant | null {
  if (slot === null) return null;
  if (everySeconds !== null) return slot - everySeconds * SECOND;
  // A report that is early for its slot still comes after the slot before.
  return schedule === null ? null : slotsAround(schedule, timezone, slot - 1).before;
}

const TROUBLE: readonly Alert["reason"][] = ["opened", "new_cause", "reminder", "last_reminder"];

// A flood of refusals leads to one notice, and there is at most one an hour. But a failure does not wait for an hour,
// and the first failure does not wait at all.

export interface PendingRefusals {
  readonly firstAt: Instant | null;
  /** The first fail of a monitor that no notice of the last hour named as failing. */
  readonly firstFailAt: Instant | null;
}

export const NOTHING_REFUSED: PendingRefusals = { firstAt: null, firstFailAt: null };

/** A report that should be told. `namedAt` is when a notice last named its monitor as failing. */
export type RefusedNews = Readonly<{ at: Instant; isFail: boolean; namedAt: Instant | null }>;

/** How long a notice waits for more refusals, because clients retry and a flood has many reports. */
const GATHERING = MINUTE;

export const withRefusal = (
  { firstAt, firstFailAt }: PendingRefusals,
  { at, isFail, namedAt }: RefusedNews,
): PendingRefusals => ({
  firstAt: firstAt ?? at,
  firstFailAt: firstFailAt ?? (isFail && !withinHour(namedAt, at) ? at : null),
});

/**
 * The first failure of an hour waits for no others. An instant after `now` comes from a wrong clock and delays nothing.
 */
export function refusalNoticeDue(
  { firstAt, firstFailAt }: PendingRefusals,
  lastNoticeAt: Instant | null,
  now: Instant,
): boolean {
  if (withinHour(lastNoticeAt, now)) return hasGathered(firstFailAt, now);
  return firstFailAt !== null || hasGathered(firstAt, now);
}

const hasGathered = (since: Instant | null, now: Instant): boolean =>
  since !== null && (now - since >= GATHERING || since > now);

export const withinHour = (earlier: Instant | null, at: Instant): boolean =>
  earlier !== null && earlier <= at && at - earlier < HOUR;
