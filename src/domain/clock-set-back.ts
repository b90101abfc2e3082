// Finds out whether the clock is behind stored instants, which happens when it had been ahead and was set back. If that
// lasts, computes how far it was set back (R26). Pure.

import type { ClockLook } from "./monitor/gap.ts";
import { MINUTE, SECOND } from "./time.ts";

/** Stored instants at most this many milliseconds ahead do not make the clock wrong: it soon catches up. */
const AHEAD_MAX = MINUTE;

const PATIENCE = 10 * MINUTE;

export interface ClockStand {
  /**
   * Wall clock minus monotonic clock, in milliseconds, when the wall clock was last right; `null` until it has been
   * seen right.
   */
  readonly rightOffset: number | null;
  /**
   * Both clocks at the moment when the wall clock was first seen behind; `null` when it is not behind. `aheadMs` is how
   * far the newest stored instant lay in the future then.
   */
  readonly behind: (ClockLook & { readonly aheadMs: number }) | null;
}

/** How far the clock was set back, in milliseconds. When `exact` is false, it may have been more. */
export type SetBack = Readonly<{ backMs: number; exact: boolean }>;

export const CLOCK_UNSEEN: ClockStand = { rightOffset: null, behind: null };

/**
 * Whether the clock is behind. `aheadMs` is how far the newest stored instant lies in the future, in milliseconds;
 * negative when it lies in the past.
 */
export const isBehind = (aheadMs: number): boolean => aheadMs > AHEAD_MAX;

export const clockSeen = (before: ClockStand, look: ClockLook, aheadMs: number): ClockStand =>
  isBehind(aheadMs)
    ? { ...before, behind: before.behind ?? { ...look, aheadMs } }
    : { rightOffset: wallOffset(look), behind: null };

/** How far the clock was set back; `null` while it is right, or has been wrong for less than ten minutes. */
export function setBack({ rightOffset, behind }: ClockStand, look: ClockLook): SetBack | null {
  if (behind === null || look.monotonic - behind.monotonic < PATIENCE) return null;
  if (rightOffset !== null) return { backMs: toSecond(rightOffset - wallOffset(look)), exact: true };
  // This process did not see the clock before it was set back, perhaps because it had not started. But the newest
  // stored instant lay in the future by `behind.aheadMs`. So the clock was set back by at least that much.
  return { backMs: toSecond(behind.aheadMs + wallOffset(behind) - wallOffset(look)), exact: false };
}

const wallOffset = ({ at, monotonic }: ClockLook): number => at - monotonic;

/** Rounds to whole seconds, because two clocks never agree to the millisecond. */
const toSecond = (milliseconds: number): number => Math.round(milliseconds / SECOND) * SECOND;
