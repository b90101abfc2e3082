// R17 a second time: the minutes at which a job is due, because every scheduler runs it then. It must import nothing of
// the product but types.

import { type CronJob, isNamed } from "./cron-job.ts";
import type { Walls } from "./wall-minutes.ts";

/** The named minutes that the wall clock shows for the first time, in seconds from the beginning of the span. */
export function agreedSlots(job: CronJob, walls: Walls): number[] {
  const slots: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < walls.length; index += 1) {
    const wall = walls[index]!;
    if (wall <= latest) continue;
    latest = wall;
    if (isNamed(job, wall)) slots.push(index * 60);
  }
  return slots;
}
