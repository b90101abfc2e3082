// Decides how far the system's clock is believed (R26). At boot the clock may be wrong by hours for some seconds, or by
// years until the network has given the time. So it is believed only after it has run for long enough without a step.
// *Lived* time is how long rollcall has run on this database, all its processes together, by the monotonic clock. A
// *line* is a time in which the system's clock made no step. Pure.

import { HOUR, type Instant, MINUTE } from "./time.ts";

/** The beginning of a line: the lived time by then in milliseconds, and what the system's clock showed then. */
type Line = readonly [lived: number, at: Instant];

/** `lived` is in milliseconds. `lines` is ascending: the first is believed, the others have not lasted long enough. */
export interface LivedTime {
  readonly lived: number;
  readonly lines: readonly [Line, ...Line[]];
}

/** The clock has made a step when it differs by more than this from what the newest line predicts. */
const STEP = MINUTE;

/** A line must last this long before it is believed for something irreversible, such as deleting old data. */
const STANDS_FOR = 6 * HOUR;

/**
 * A line must last this long before it is believed for the end of what a person asked for, such as a pause. This is
 * short, because ending a pause late does no harm.
 */
const STANDS_FOR_ENDS = 10 * MINUTE;

/** The most lines that are kept. Without a limit a process that ends again and again would add a line each time. */
const LINES_MAX = 64;

const leadsTo = ([begun, at]: Line, lived: number): Instant => at + lived - begun;

/**
 * The lived time after another look at the clock, which shows `at`. `passed` is how many milliseconds the monotonic
 * clock has counted since `before`; `before` is `null` when nothing is known of earlier times.
 */
export function livedUntil(before: LivedTime | null, at: Instant, passed: number): LivedTime {
  if (before === null) return { lived: 0, lines: [[0, at]] };
  const lived = before.lived + passed;
  const now: Line = [lived, at];
  // A line that predicts a later time than the clock shows was wrong: the clock has been set back.
  const standing = before.lines.filter((line) => leadsTo(line, lived) <= at + STEP);
  const last = standing.at(-1);
  const lines = last !== undefined && at <= leadsTo(last, lived) + STEP ? standing : [...standing, now];
  const oldEnough = lines.findLastIndex(([begun]) => lived - begun >= STANDS_FOR);
  const [believed = now, ...others] = lines.slice(Math.max(oldEnough, 0));
  return { lived, lines: [believed, ...others.slice(Math.max(0, others.length - LINES_MAX + 1))] };
}

/**
 * The present time for something irreversible, such as deleting old data. It is the clock's time `at`, or an earlier
 * time when the clock was moved forward too recently to be believed. `passed` is how many milliseconds the monotonic
 * clock has counted since this `LivedTime` was computed.
 */
export const certainAt = ({ lived, lines }: LivedTime, at: Instant, passed: number): Instant =>
  Math.min(at, leadsTo(lines[0], lived + passed));

/**
 * Like `certainAt`, for the end of something that a person asked for, such as a pause. A clock that was moved forward
 * is believed after ten minutes.
 */
export function steadyAt({ lived, lines }: LivedTime, at: Instant, passed: number): Instant {
  const line = lines.findLast(([begun]) => lived + passed - begun >= STANDS_FOR_ENDS) ?? lines[0];
  return Math.min(at, leadsTo(line, lived + passed));
}

/** How long the system's clock has run without a step, in milliseconds of the monotonic clock. */
export const steadyFor = ({ lived, lines }: LivedTime, passed: number): number => lived + passed - lines.at(-1)![0];

/** How many milliseconds the clock was moved since this `LivedTime`: negative when set back, 0 without a step. */
export function movedBy({ lived, lines }: LivedTime, at: Instant, passed: number): number {
  const ahead = at - leadsTo(lines.at(-1)!, lived + passed);
  return Math.abs(ahead) > STEP ? ahead : 0;
}
