// How far the clock is believed (R26). A clock may lie by hours for some seconds at boot, and by years until the
// network tells the time. So it is believed only once it has stood, for as long as the question is worth: *lived* time
// is what the monotonic clock counts over all processes, and a *line* is a way in which the clock went on from some
// instant without a step. Pure.

import { HOUR, type Instant, MINUTE } from "./time.ts";

/** When a line began, in lived milliseconds, and what the clock said then. */
type Line = readonly [lived: number, at: Instant];

/** `lines`: ascending; the first is believed, and those after it have yet to stand for so long. */
export interface LivedTime {
  readonly lived: number;
  readonly lines: readonly [Line, ...Line[]];
}

/** A clock that is further from where a line leads has made a step. */
const STEP = MINUTE;

/** For what cannot be taken back, such as deleting what is old, a line must have stood for so long. */
const STANDS_FOR = 6 * HOUR;

/** The end of what a person asked for does no harm if it comes a bit late: then a line need stand only so long. */
const STANDS_FOR_ENDS = 10 * MINUTE;

/** A process that ends again and again makes a line each time. */
const LINES_MAX = 64;

const leadsTo = ([begun, at]: Line, lived: number): Instant => at + lived - begun;

/** `passed`: lived milliseconds since `before`, which is null when nothing is known of earlier times. */
export function livedUntil(before: LivedTime | null, at: Instant, passed: number): LivedTime {
  if (before === null) return { lived: 0, lines: [[0, at]] };
  const lived = before.lived + passed;
  const now: Line = [lived, at];
  // What led further than the clock goes now was wrong: it was set back.
  const standing = before.lines.filter((line) => leadsTo(line, lived) <= at + STEP);
  const last = standing.at(-1);
  const lines = last !== undefined && at <= leadsTo(last, lived) + STEP ? standing : [...standing, now];
  const oldEnough = lines.findLastIndex(([begun]) => lived - begun >= STANDS_FOR);
  const [believed = now, ...others] = lines.slice(Math.max(oldEnough, 0));
  return { lived, lines: [believed, ...others.slice(Math.max(0, others.length - LINES_MAX + 1))] };
}

/**
 * What time it is at least, for what cannot be taken back: the clock, as far as it is believed. `passed`: lived
 * milliseconds since `lived`.
 */
export const settledAt = ({ lived, lines }: LivedTime, at: Instant, passed: number): Instant =>
  Math.min(at, leadsTo(lines[0], lived + passed));

/** What time it is at least, for the end of what a person asked for. */
export function steadyAt({ lived, lines }: LivedTime, at: Instant, passed: number): Instant {
  const line = lines.findLast(([begun]) => lived + passed - begun >= STANDS_FOR_ENDS) ?? lines[0];
  return Math.min(at, leadsTo(line, lived + passed));
}

/** For how long the clock has made no step, in lived milliseconds. */
export const steadyFor = ({ lived, lines }: LivedTime, passed: number): number => lived + passed - lines.at(-1)![0];

/** How far the clock has been moved since, in milliseconds; below 0 when it was set back, 0 when it made no step. */
export function movedBy({ lived, lines }: LivedTime, at: Instant, passed: number): number {
  const ahead = at - leadsTo(lines.at(-1)!, lived + passed);
  return Math.abs(ahead) > STEP ? ahead : 0;
}
