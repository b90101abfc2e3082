// Two schedulers as libraries make them, at either end of what can be done with a clock change: one that compares what
// the wall clock shows and nothing else, one that lets no run be lost. They must import nothing of the product but
// types.

import { type CronJob, isNamed } from "./cron-job.ts";
import type { Walls } from "./wall-minutes.ts";

/** Looks at the wall clock every minute: runs again in an hour that comes again, and never in one that is skipped. */
export function comparingScheduler(job: CronJob, walls: Walls): number[] {
  const fires: number[] = [];
  for (let index = 0; index < walls.length; index += 1) if (isNamed(job, walls[index]!)) fires.push(index * 60);
  return fires;
}

/**
 * Moves a time that is skipped on by as much as the clocks were, and runs once at a time that comes twice: at the first
 * of the two, as calendars resolve it.
 */
export function shiftingScheduler(job: CronJob, walls: Walls): number[] {
  const fires = new Set<number>();
  const shown = new Set<number>();
  for (let index = 0; index < walls.length; index += 1) {
    const wall = walls[index]!;
    if (isNamed(job, wall) && !shown.has(wall)) {
      shown.add(wall);
      fires.add(index * 60);
    }
    const skipped = index === 0 ? 0 : wall - walls[index - 1]! - 1;
    for (let later = 0; later < skipped && index + later < walls.length; later += 1) {
      if (isNamed(job, wall - skipped + later)) fires.add((index + later) * 60);
    }
  }
  return [...fires].sort((one, other) => one - other);
}
