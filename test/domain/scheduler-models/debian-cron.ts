// Debian's cron (3.0pl1) as its manual cron(8) and its source describe it: it runs by a clock of its own, which it
// brings up to the one on the wall in a way that depends on how far off it is. It must import nothing of the product
// but types.

import { type CronJob, isNamedForCron } from "./cron-job.ts";
import type { WallMinute, Walls } from "./wall-minutes.ts";

/** How many seconds cron waits between two minutes that it makes up for, if it has started anything. */
const REST_SECONDS = 10;
/**
 * Up to this many minutes behind is lateness, up to three hours either way is summer time, beyond that a correction.
 */
const LATE = 5;
const SUMMER_TIME = 3 * 60;

/** A crontab's lines at work: cron keeps what it has found until it starts all of it at once. */
interface Cron {
  readonly job: CronJob;
  readonly others: CronJob | null;
  readonly walls: Walls;
  readonly fires: number[];
  /** Seconds from the beginning of the span. */
  now: number;
  /** The minute up to which everything has been found. */
  done: number;
  jobFound: boolean;
  othersFound: boolean;
}

/**
 * When cron starts the job, in seconds from the beginning of the span. `others`: another line of the crontab, whose
 * starts are not told but make cron rest.
 */
export function debianCron(job: CronJob, walls: Walls, others: CronJob | null = null): number[] {
  const done = walls[0]! - 1;
  const cron: Cron = { job, others, walls, fires: [], now: 0, done, jobFound: false, othersFound: false };
  let woken = done;
  for (;;) {
    if (wallNow(cron) === woken) cron.now = (Math.floor(cron.now / 60) + 1) * 60;
    // It aims a second behind the full minute.
    if (cron.now % 60 === 0) cron.now += 1;
    if (cron.now >= walls.length * 60) return cron.fires;
    woken = wallNow(cron);
    wake(cron, woken);
    startFound(cron);
  }
}

/** Decides by how far cron's own clock is behind the wall's what is to be made up for, and for whom. */
function wake(cron: Cron, wall: WallMinute): void {
  const behind = wall - cron.done;
  if (behind === 1 || behind > SUMMER_TIME || behind <= -SUMMER_TIME) {
    cron.done = wall;
    find(cron, wall, true, true);
  } else if (behind <= 0) {
    find(cron, wall, true, false);
  } else if (behind <= LATE) {
    do makeUp(cron, true);
    while (cron.done < wall);
  } else {
    find(cron, wall, true, false);
    do makeUp(cron, false);
    while (cron.done < wall && wallNow(cron) === wall);
  }
}

/** Starts what was found, with a rest after it, before the next minute is looked at. */
function makeUp(cron: Cron, wild: boolean): void {
  if (startFound(cron)) cron.now += REST_SECONDS;
  cron.done += 1;
  find(cron, cron.done, wild, true);
}

function find(cron: Cron, wall: WallMinute, wild: boolean, fixed: boolean): void {
  if ((cron.job.wild ? wild : fixed) && isNamedForCron(cron.job, wall)) cron.jobFound = true;
  if (cron.others === null) return;
  if ((cron.others.wild ? wild : fixed) && isNamedForCron(cron.others, wall)) cron.othersFound = true;
}

/** Whether there was anything to start. */
function startFound(cron: Cron): boolean {
  const any = cron.jobFound || cron.othersFound;
  if (cron.jobFound) cron.fires.push(cron.now);
  cron.jobFound = false;
  cron.othersFound = false;
  return any;
}

const wallNow = ({ walls, now }: Cron): WallMinute => walls[Math.floor(now / 60)] ?? Number.NaN;
