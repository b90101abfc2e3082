// How a refused report counts (R26, R33): which report of a minute we keep, whether it can change its monitor, who
// hears about it, when the notice about it is due, and which alert it explains. Pure.

import type { Watch } from "../monitor/monitor.ts";
import { slotsAround } from "../schedule/slots.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../time.ts";
import type { Alert } from "./alert.ts";

interface RefusedReportData {
  /** `heartbeat`, `start`, `complete`, `fail` or `log`; null: the request named nothing known. */
  readonly kind: string | null;
  readonly message: string | null;
}

/** Of one minute's reports we keep the first with the highest rank: a fail says most (R26). */
export function rankOf({ kind, message }: RefusedReportData): number {
  if (kind === "log") return 0;
  if (kind !== "fail") return 1;
  return message === null ? 2 : 3;
}

/**
 * Whether a report that the rate limit refused at `at` shows that the job is alive, and may fill a slot (R26).
 * `mayMove`: it has the row of its minute, or an interval, whose slot each moves (R44); `fillsFrom`: from when a report
 * fills the next slot, null: none is expected.
 */
export const isEvidence = (
  { kind }: RefusedReportData,
  mayMove: boolean,
  fillsFrom: Instant | null,
  at: Instant,
): boolean =>
  // An accepted log would not have filled anything either (R5).
  kind !== "log" && (mayMove || (fillsFrom !== null && at >= fillsFrom));

/**
 * Which of these a notice names (R33): all for an unwatched job, else only failures and what came with a revoked key,
 * which may be in wrong hands; a miss names any other.
 */
export const notifiedAtOnce = <Each extends Pick<RefusedReportData, "kind"> & { readonly code: string }>(
  reports: readonly Each[],
  isWatched: boolean,
): readonly Each[] => (isWatched ? reports.filter(({ kind, code }) => kind === "fail" || isRevoked(code)) : reports);

/** R3: of reports that are kept only those with a revoked key are refused as this. */
export const isRevoked = (code: string): boolean => code === "AUTHENTICATION_REQUIRED";

/**
 * Since when a refused report may explain the alert: after the last report that counted. For a miss also after the slot
 * before, as older ones say nothing of this one; for a run without its end after its start. Null: the alert is about
 * something else.
 */
export function explainsSince(alert: Alert, createdAt: Instant): Instant | null {
  const { reason, cause, run, receivedAt, watch, incident } = alert;
  if (!TROUBLE.includes(reason)) return null;
  if (cause === "missed")
    return Math.max(receivedAt ?? createdAt - 1, slotBefore(watch, incident.expectedAt) ?? createdAt - 1);
  return cause === "unfinished" ? (run?.startedAt ?? receivedAt) : null;
}

/** Null: the first slot was missed, or it is not known which. */
function slotBefore({ schedule, timezone, everySeconds }: Watch, slot: Instant | null): Instant | null {
  if (slot === null) return null;
  if (everySeconds !== null) return slot - everySeconds * SECOND;
  // What comes early for its slot comes after the slot before.
  return schedule === null ? null : slotsAround(schedule, timezone, slot - 1).before;
}

const TROUBLE: readonly Alert["reason"][] = ["opened", "new_cause", "reminder", "last_reminder"];

// When a notice about refused reports is due: one for a flood, at most one an hour, but no monitor's failure waits for
// an hour, and the first for nothing.

export interface PendingRefusals {
  readonly firstAt: Instant | null;
  /** The first fail of a monitor that no notice of the hour before it named as failing. */
  readonly firstFailAt: Instant | null;
}

export const NOTHING_REFUSED: PendingRefusals = { firstAt: null, firstFailAt: null };

/** How long a notice waits for more: clients retry, and a flood refuses many reports. */
const GATHERING = MINUTE;

/** `pending` plus one more stored report of a monitor. `namedAt`: when a notice last named that monitor as failing. */
export function withRefusal(
  pending: PendingRefusals,
  at: Instant,
  isFail: boolean,
  namedAt: Instant | null,
): PendingRefusals {
  const isNews = isFail && !withinHour(namedAt, at);
  return {
    firstAt: pending.firstAt ?? at,
    firstFailAt: pending.firstFailAt ?? (isNews ? at : null),
  };
}

/** The first failure of an hour waits for no others. An instant after `now` is of a wrong clock and delays nothing. */
export function refusalNoticeDue(
  { firstAt, firstFailAt }: PendingRefusals,
  lastNoticeAt: Instant | null,
  now: Instant,
): boolean {
  if (withinHour(lastNoticeAt, now)) return hasGathered(firstFailAt, now);
  return firstFailAt !== null || hasGathered(firstAt, now);
}

/** What is pending of both, of which `one` came first. */
export const firstOf = (one: PendingRefusals, other: PendingRefusals): PendingRefusals => ({
  firstAt: one.firstAt ?? other.firstAt,
  firstFailAt: one.firstFailAt ?? other.firstFailAt,
});

const hasGathered = (since: Instant | null, now: Instant): boolean =>
  since !== null && (now - since >= GATHERING || since > now);

/** The later of two instants; null: neither is known. */
export const laterOf = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || (other !== null && other > one) ? other : one;

export const withinHour = (earlier: Instant | null, at: Instant): boolean =>
  earlier !== null && earlier <= at && at - earlier < HOUR;
