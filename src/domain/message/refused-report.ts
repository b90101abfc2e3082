// How a refused report counts (R26, R33): who hears about it, when, and which alert it explains. Pure.

import type { Watch } from "../monitor/monitor.ts";
import { slotsAround } from "../schedule/slots.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../time.ts";
import type { Alert } from "./alert.ts";

/** Reports of one minute that a rate limit refused are looked at again only if they say more. */
export const rankOf = (kind: string | null): number => (kind === "log" ? 0 : kind === "fail" ? 2 : 1);

/**
 * Whether a report that the rate limit refused at `at` shows that the job is alive, and may fill a slot (R26).
 * `mayMove`: it is the first of its minute, or of an interval, whose slot each moves (R44); `fillsFrom`: from when a
 * report fills the next slot, null: none is expected.
 */
export const isEvidence = (kind: string | null, mayMove: boolean, fillsFrom: Instant | null, at: Instant): boolean =>
  // An accepted log would not have filled anything either (R5).
  kind !== "log" && (mayMove || (fillsFrom !== null && at >= fillsFrom));

/**
 * Whether a notice names it (R33): of an unwatched job always, else failures, what a rate limit refused, and what came
 * with a revoked key, which may be in wrong hands. Mails too, as what a device wrote may be a failure (R47). A miss
 * names any other.
 */
export function isWorthNaming({ kind, code, field }: NamedRefusal, isWatched: boolean): boolean {
  // A rate limit is noted of monitors alone: this one was deleted since.
  if (code === "RATE_LIMIT_EXCEEDED") return isWatched;
  return !isWatched || kind === "fail" || isRevoked(code) || field === MAIL || field === MAIL_RULE;
}

type NamedRefusal = Readonly<{ kind: string | null; code: string; field: string }>;

/** What the sentence about a mail begins with: it was refused, or it was recorded and says neither (R47). */
export const MAIL = "mail";
export const MAIL_RULE = "mail_rule";

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

// One notice for a flood, at most one an hour, but no failure waits for an hour, and the first for nothing.

export interface PendingRefusals {
  readonly firstAt: Instant | null;
  /** The first fail of a monitor that no notice of the hour before it named as failing. */
  readonly firstFailAt: Instant | null;
}

export const NOTHING_REFUSED: PendingRefusals = { firstAt: null, firstFailAt: null };

/** A report that is news. `namedAt`: when a notice last named its monitor as failing. */
export type RefusedNews = Readonly<{ at: Instant; isFail: boolean; namedAt: Instant | null }>;

/** How long a notice waits for more: clients retry, and a flood refuses many reports. */
const GATHERING = MINUTE;

export const withRefusal = (
  { firstAt, firstFailAt }: PendingRefusals,
  { at, isFail, namedAt }: RefusedNews,
): PendingRefusals => ({
  firstAt: firstAt ?? at,
  firstFailAt: firstFailAt ?? (isFail && !withinHour(namedAt, at) ? at : null),
});

/** The first failure of an hour waits for no others. An instant after `now` is of a wrong clock and delays nothing. */
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
