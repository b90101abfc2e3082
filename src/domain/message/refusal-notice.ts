// When a notice about reports that a rate limit refused is due (R26, R33): one for a flood, at most one an hour, but no
// monitor's failure waits for an hour. Pure; it does not decide what the notice says.

import { HOUR, type Instant, MINUTE } from "../time.ts";

/** Refused reports that no notice has named yet. */
export interface UntoldRefusals {
  /** Null: there are none. */
  readonly firstAt: Instant | null;
  /** The first fail of a monitor that no notice of the hour before it named as failing. */
  readonly firstFailAt: Instant | null;
  /** When the last notice was sent. */
  readonly lastNoticeAt: Instant | null;
}

export const NOTHING_REFUSED: UntoldRefusals = { firstAt: null, firstFailAt: null, lastNoticeAt: null };

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
    lastNoticeAt: untold.lastNoticeAt,
  };
}

/** Whether to send the notice now. An instant after `now` comes from a wrong clock and delays nothing. */
export function refusalNoticeDue({ firstAt, firstFailAt, lastNoticeAt }: UntoldRefusals, now: Instant): boolean {
  if (hasGathered(firstFailAt, now)) return true;
  return hasGathered(firstAt, now) && !withinHour(lastNoticeAt, now);
}

const hasGathered = (since: Instant | null, now: Instant): boolean =>
  since !== null && (now - since >= GATHERING || since > now);

/** Whether `earlier` lies in the hour before `at`. */
export const withinHour = (earlier: Instant | null, at: Instant): boolean =>
  earlier !== null && earlier <= at && at - earlier < HOUR;
