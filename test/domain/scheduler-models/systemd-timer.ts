// A systemd timer with OnCalendar= in a zone, as systemd.time(7) and what `systemd-analyze calendar` answers describe
// it: from each elapse it looks for the next wall-clock time. It must import nothing of the product but types.

import { type CronJob, isNamed } from "./cron-job.ts";
import type { Walls } from "./wall-minutes.ts";

/**
 * When the timer starts the job, in seconds from the beginning of the span. A wall-clock time that does not exist is
 * passed over; in an hour that comes again nothing elapses that is not later on the wall than the last elapse.
 * `accuracy`: by how many seconds this machine is late at every elapse, below 60, as AccuracySec= allows by default.
 */
export function systemdTimer(job: CronJob, walls: Walls, accuracy: number): number[] {
  const fires: number[] = [];
  let elapsed = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < walls.length; index += 1) {
    const wall = walls[index]!;
    if (wall <= elapsed || !isNamed(job, wall)) continue;
    elapsed = wall;
    fires.push(index * 60 + accuracy);
  }
  return fires;
}
