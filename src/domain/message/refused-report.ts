// Decides whether and when people are told of a refused report, and which alert it may explain (R26, R33). Pure.

import type { Watch } from "../monitor/monitor.ts";
import { slotsAround } from "../schedule/slots.ts";
import { type Instant, MINUTE, SECOND, withinHour } from "../time.ts";
import type { Alert } from "./alert.ts";

/**
 * How much a kind of report tells, as a rank. Of the reports that the rate limit refuses in one minute, most are not
 * examined. A report with a higher rank than the last examined one is always examined.
 */
export const rankOfRefusedReport = (kind: string | null): number => (kind === "log" ? 0 : kind === "fail" ? 2 : 1);

/**
 * Whether a report that the rate limit refused counts as a sign that the job is alive (R26). A log never counts.
 * `mayMove` is true for the first refused report of a minute, and for every report of a job with an interval (R44):
 * these count. Others count only from `fillsFrom` on, when a report fills the next slot; `null` when no slot is
 * expected.
 */
export const refusalShowsLife = (
  kind: string | null,
  mayMove: boolean,
  fillsFrom: Instant | null,
  at: Instant,
): boolean =>
  // A log would have filled no slot, had it been accepted (R5).
  kind !== "log" && (mayMove || (fillsFrom !== null && at >= fillsFrom));

/**
 * Whether a notice names the refused report (R33). `isWatched` is false when the job has no monitor. Then the notice
 * names each report, except one that a rate limit refused. For a job with a monitor it names fails, reports over a rate
 * limit, reports with a revoked key and mails (R47). Other reports of that job are named by the alert of the miss that
 * they explain.
 */
export function isWorthNaming({ kind, code, field }: NamedRefusal, isWatched: boolean): boolean {
  // A report over a rate limit is stored only for a monitor. So a job that has none now was deleted since.
  if (code === "RATE_LIMIT_EXCEEDED") return isWatched;
  return !isWatched || kind === "fail" || wasKeyRevoked(code) || field === MAIL || field === MAIL_RULE;
}

type NamedRefusal = Readonly<{ kind: string | null; code: string; field: string }>;

/**
 * Two values of `field` in the rows of `refused_reports` that are about a mail (R47). MAIL: the mail was refused.
 * MAIL_RULE: the mail was recorded, but says neither success nor failure.
 */
export const MAIL = "mail";
export const MAIL_RULE = "mail_rule";

/** Whether a refused report that is stored had a revoked key (R3). No other stored report has this code. */
export const wasKeyRevoked = (code: string): boolean => code === "AUTHENTICATION_REQUIRED";

/**
 * Returns an instant: a report that was refused after it may explain this alert. For a miss it is the instant of the
 * last accepted report, or of the slot before the missed one if that is later. For an unfinished run it is the start of
 * the run, or the last accepted report if that start is not known. `null` for other alerts.
 */
export function explainsAlertSince(alert: Alert, createdAt: Instant): Instant | null {
  const { reason, cause, run, receivedAt, watch, incident } = alert;
  if (!TROUBLE.includes(reason)) return null;
  if (cause === "missed")
    return Math.max(receivedAt ?? createdAt - 1, slotBefore(watch, incident.expectedAt) ?? createdAt - 1);
  return cause === "unfinished" ? (run?.startedAt ?? receivedAt) : null;
}

/** The slot before `slot`; `null` when there is none, or `slot` is not known. */
function slotBefore({ schedule, timezone, everySeconds }: Watch, slot: Instant | null): Instant | null {
  if (slot === null) return null;
  if (everySeconds !== null) return slot - everySeconds * SECOND;
  // `slotsAround` looks just before the slot, so that the slot itself is not found.
  return schedule === null ? null : slotsAround(schedule, timezone, slot - 1).before;
}

const TROUBLE: readonly Alert["reason"][] = ["opened", "new_cause", "reminder", "last_reminder"];

// Decides when the notice about refused reports is due. There is at most one in an hour, however many reports are
// refused. But a fail that was refused does not wait for the hour to end, and the first one does not wait at all.

export interface PendingRefusals {
  readonly firstAt: Instant | null;
  /**
   * When a fail was first refused for a monitor that no notice of the last hour has named as failing. `null` when there
   * was no such fail.
   */
  readonly firstFailAt: Instant | null;
}

export const NOTHING_REFUSED: PendingRefusals = { firstAt: null, firstFailAt: null };

/** A refused report that a notice should name. `namedAt` is when a notice last named its monitor as failing. */
export type RefusedNews = Readonly<{ at: Instant; isFail: boolean; namedAt: Instant | null }>;

/** How long a notice waits for more refused reports, in milliseconds: a fault often brings many, and clients retry. */
const GATHERING = MINUTE;

export const pendingRefusalsWith = (
  { firstAt, firstFailAt }: PendingRefusals,
  { at, isFail, namedAt }: RefusedNews,
): PendingRefusals => ({
  firstAt: firstAt ?? at,
  firstFailAt: firstFailAt ?? (isFail && !withinHour(namedAt, at) ? at : null),
});

/**
 * Whether the notice is due. If there was no notice in the last hour, a refused fail makes it due at once. An instant
 * after `now` was written by a wrong clock and delays nothing.
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
