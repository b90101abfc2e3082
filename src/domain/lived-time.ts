// Decides how far the clock is believed (R26). A clock may be wrong by hours for seconds at boot, and by years until
// the network gives the time, so it is believed only after it has run without a step for long enough. *Lived* time is
// what the monotonic clock counts over all processes; a *line* is a time in which the clock made no step. Pure.

import { HOUR, type Instant, MINUTE } from "./time.ts";

/** When a line began, in lived milliseconds, and what the clock said at that time. */
type Line = readonly [lived: number, at: Instant];

/** `lines` is ascending. The first line is believed; the lines after it have not yet lasted long enough. */
export interface LivedTime {
  readonly lived: number;
  readonly lines: readonly [Line, ...Line[]];
}

/** A clock that is further than this from where a line leads has made a step. */
const STEP = MINUTE;

/** A line must last this long before it is believed for something irreversible, such as deleting old data. */
const STANDS_FOR = 6 * HOUR;

/** What a person asked for, such as a pause, may end once a line has lasted this long: ending it late does no harm. */
const STANDS_FOR_ENDS = 10 * MINUTE;

/** The number is limited because a process that ends again and again makes a new line each time. */
const LINES_MAX = 64;

const leadsTo = ([begun, at]: Line, lived: number): Instant => at + lived - begun;

/** `passed` is the lived milliseconds since `before`, which is `null` when nothing is known of earlier times. */
export function livedUntil(before: LivedTime | null, at: Instant, passed: number): LivedTime {
  if (before === null) return { lived: 0, lines: [[0, at]] };
  const lived = before.lived + passed;
  const now: Line = [lived, at];
  // A line was wrong if it leads further than the clock goes now: the clock was set back.
  const standing = before.lines.filter((line) => leadsTo(line, lived) <= at + STEP);
  const last = standing.at(-1);
  const lines = last !== undefined && at <= leadsTo(last, lived) + STEP ? standing : [...standing, now];
  const oldEnough = lines.findLastIndex(([begun]) => lived - begun >= STANDS_FOR);
  const [believed = now, ...others] = lines.slice(Math.max(oldEnough, 0));
  return { lived, lines: [believed, ...others.slice(Math.max(0, others.length - LINES_MAX + 1))] };
}

/** The latest time that is believed for something irreversible. `passed` is the lived milliseconds since `lived`. */
export const certainAt = ({ lived, lines }: LivedTime, at: Instant, passed: number): Instant =>
  Math.min(at, leadsTo(lines[0], lived + passed));

/** The latest time that is believed for the end of something that a person asked for. */
export function steadyAt({ lived, lines }: LivedTime, at: Instant, passed: number): Instant {
  const line = lines.findLast(([begun]) => lived + passed - begun >= STANDS_FOR_ENDS) ?? lines[0];
  return Math.min(at, leadsTo(line, lived + passed));
}

/** How long the clock has made no step, in lived milliseconds. */
export const steadyFor = ({ lived, lines }: LivedTime, passed: number): number => lived + passed - lines.at(-1)![0];

/** How far the clock has been moved since, in milliseconds; negative when it was set back, 0 when it made no step. */
export function movedBy({ lived, lines }: LivedTime, at: Instant, passed: number): number {
  const ahead = at - leadsTo(lines.at(-1)!, lived + passed);
  return Math.abs(ahead) > STEP ? ahead : 0;
}
