// How far around a clock change a schedule is watched: long enough for the change to matter, short enough that every
// change of every zone can be looked at.

import { type CronJob, isNamed } from "../scheduler-models/cron-job.ts";

/** Minutes before and after a clock change, and the shortest pause between two runs on an undisturbed day. */
export interface Reach {
  readonly before: number;
  readonly after: number;
  readonly shortestPause: number;
}

const DAY = 24 * 60;
/** A week and a day: whatever comes weekly comes once more. */
const LONGEST = 8 * DAY;
/** Some minutes for what a scheduler has to make up for. */
const MARGIN = 15;
/** Two months in which nothing changes; in all others days are named alike or not at all. */
const USUAL = { from: Date.UTC(2003, 2, 1) / 60_000, until: Date.UTC(2003, 4, 1) / 60_000 };

/** One run before the change, and after it as many as it takes to let the job die at each of the first four. */
export function reachOf(job: CronJob): Reach {
  let longestPause = 0;
  let shortestPause = LONGEST;
  let last: number | null = null;
  for (let wall = USUAL.from; wall < USUAL.until; wall += 1) {
    if (!isNamed(job, wall)) continue;
    if (last !== null) longestPause = Math.max(longestPause, wall - last);
    if (last !== null) shortestPause = Math.min(shortestPause, wall - last);
    last = wall;
  }
  return {
    before: Math.min(longestPause, 2 * DAY) + MARGIN,
    after: Math.min(4 * longestPause, LONGEST) + MARGIN,
    shortestPause,
  };
}
