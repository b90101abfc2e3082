// What a report counts for that was refused (R26, R33): which one of a minute is kept, whether it can change its monitor, who
// hears of it, and which alert it explains. Pure.

import type { Instant } from "../time.ts";
import type { Alert } from "./alert.ts";

interface Report {
  /** `heartbeat`, `start`, `complete`, `fail` or `log`; null: the request named nothing known. */
  readonly kind: string | null;
  readonly message: string | null;
}

/** Of the reports of one minute the one of the highest rank is kept, and the first of these: a fail says most (R26). */
export function rankOf({ kind, message }: Report): number {
  if (kind === "log") return 0;
  if (kind !== "fail") return 1;
  return message === null ? 2 : 3;
}

/**
 * Whether a report that the rate limit refused at `at` is evidence of life, and may fill a slot (R26). `isKept`: it has the
 * row of its minute; `fillsFrom`: from when on a report fills the next slot, null: none is expected.
 */
export const isEvidence = ({ kind }: Report, isKept: boolean, fillsFrom: Instant | null, at: Instant): boolean =>
  // An accepted log would have filled nothing either (R5).
  kind !== "log" && (isKept || (fillsFrom !== null && at >= fillsFrom));

/** Which of these a notice tells (R33): all where nobody watches the job, else failures; a miss names any other. */
export const toldAtOnce = <Each extends Pick<Report, "kind">>(
  reports: readonly Each[],
  isWatched: boolean,
): readonly Each[] => (isWatched ? reports.filter(({ kind }) => kind === "fail") : reports);

/**
 * Since when a refused report may explain the alert: after the last report that counted; for a miss any report, for a run
 * without its end its start. Null: the alert is about something else.
 */
export function explainsSince({ reason, cause, run, receivedAt }: Alert, createdAt: Instant): Instant | null {
  if (!TROUBLE.includes(reason)) return null;
  if (cause === "missed") return receivedAt ?? createdAt - 1;
  return cause === "unfinished" ? (run?.startedAt ?? receivedAt) : null;
}

const TROUBLE: readonly Alert["reason"][] = ["opened", "new_cause", "reminder", "last_reminder"];
