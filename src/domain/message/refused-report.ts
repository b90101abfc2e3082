// How a refused report counts (R26, R33): which report of a minute we keep, whether it can change its monitor, who
// hears about it, and which alert it explains. Pure.

import type { Watch } from "../monitor/monitor.ts";
import { slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
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
export const toldAtOnce = <Each extends Pick<RefusedReportData, "kind"> & { readonly code: string }>(
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

/** Null: there is none, or it is not known which slot was missed. */
function slotBefore({ schedule, timezone, everySeconds }: Watch, slot: Instant | null): Instant | null {
  if (slot === null) return null;
  if (everySeconds !== null) return slot - everySeconds * SECOND;
  // What comes early for its slot comes after the slot before.
  return schedule === null ? null : slotsAround(schedule, timezone, slot - 1).before;
}

const TROUBLE: readonly Alert["reason"][] = ["opened", "new_cause", "reminder", "last_reminder"];
