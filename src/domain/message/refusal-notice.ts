// When a notice about reports that a rate limit refused is due (R26, R33): one for a flood, at most one an hour, but no
// monitor's failure waits for an hour, and the first for nothing. Pure; it does not decide what the notice says.

import { HOUR, type Instant, MINUTE } from "../time.ts";

/** Refused reports that no notice has named yet. */
export interface UntoldRefusals {
  /** Null: there are none. */
  readonly firstAt: Instant | null;
  /** The first fail of a monitor that no notice of the hour before it named as failing. */
  readonly firstFailAt: Instant | null;
}

export const NOTHING_REFUSED: UntoldRefusals = { firstAt: null, firstFailAt: null };

/** When the last notice about refused reports was sent, whatever refused them; null: none was. */
export interface LastRefusalNotice {
  at: Instant | null;
}

/** How long a notice waits for more: clients retry, and a flood refuses many reports. */
const GATHERING = MINUTE;

/** `untold` plus one more stored report of a monitor. `namedAt`: when a notice last named that monitor as failing. */
export function withRefusal(
  untold: UntoldRefusals,
  at: Instant,
  isFail: boolean,
  namedAt: Instant | null,
): UntoldRefusals {
  const isNews = isFail && !withinHour(namedAt, at);
  return {
    firstAt: untold.firstAt ?? at,
    firstFailAt: untold.firstFailAt ?? (isNews ? at : null),
  };
}

/**
 * Whether to send the notice now. The first failure of an hour waits for no others. An instant after `now` comes from a
 * wrong clock and delays nothing.
 */
export function refusalNoticeDue(
  { firstAt, firstFailAt }: UntoldRefusals,
  lastNoticeAt: Instant | null,
  now: Instant,
): boolean {
  if (withinHour(lastNoticeAt, now)) return hasGathered(firstFailAt, now);
  return firstFailAt !== null || hasGathered(firstAt, now);
}

const hasGathered = (since: Instant | null, now: Instant): boolean =>
  since !== null && (now - since >= GATHERING || since > now);

/** The later of two instants; null: neither is known. */
export const laterOf = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Whether `earlier` lies in the hour before `at`. */
export const withinHour = (earlier: Instant | null, at: Instant): boolean =>
  earlier !== null && earlier <= at && at - earlier < HOUR;
