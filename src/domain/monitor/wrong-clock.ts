// A wrong clock: how long it has stood behind stored instants, and how far it was set back once that goes on (R26). Pure; what
// is pulled back then is rebase.ts.

import { MINUTE, SECOND } from "../time.ts";
import type { Look } from "./gap.ts";

/** Instants that lie less far ahead are reached soon. */
const AHEAD_MAX = MINUTE;
const PATIENCE = 10 * MINUTE;

/** What is known of the clock from one look to the next. */
export interface ClockStand {
  /** How far the wall clock stood before the monotonic one while nothing was wrong; null: not seen yet. */
  readonly rightOffset: number | null;
  /** When it was first seen behind, by both clocks; null: it is not. Only the monotonic one can be believed. */
  readonly behind: (Look & { readonly aheadMs: number }) | null;
}

/** How far the clock was set back, in milliseconds. `exact` false: at least so far. */
export interface SetBack {
  readonly backMs: number;
  readonly exact: boolean;
}

export const CLOCK_UNSEEN: ClockStand = { rightOffset: null, behind: null };

/** `aheadMs`: by how much the newest stored instant lies after the present; below 0: before it. */
export const isBehind = (aheadMs: number): boolean => aheadMs > AHEAD_MAX;

export const clockSeen = (before: ClockStand, look: Look, aheadMs: number): ClockStand =>
  isBehind(aheadMs)
    ? { ...before, behind: before.behind ?? { ...look, aheadMs } }
    : { rightOffset: offsetOf(look), behind: null };

/** Null while it is not wrong, or not for long enough. */
export function setBack({ rightOffset, behind }: ClockStand, look: Look): SetBack | null {
  if (behind === null || look.monotonic - behind.monotonic < PATIENCE) return null;
  if (rightOffset !== null) return { backMs: toSecond(rightOffset - offsetOf(look)), exact: true };
  // Where no process has seen the clock both before and after, as much as is certain.
  return { backMs: toSecond(behind.aheadMs + offsetOf(behind) - offsetOf(look)), exact: false };
}

const offsetOf = ({ at, monotonic }: Look): number => at - monotonic;

/** Two clocks never agree to the millisecond. */
const toSecond = (milliseconds: number): number => Math.round(milliseconds / SECOND) * SECOND;
