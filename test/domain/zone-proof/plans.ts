// What the four schedulers do with a job around a clock change, worked out once for all zones whose walls show the same
// there. Times are seconds from the beginning of the window.

import { agreedSlots } from "../scheduler-models/agreed-slots.ts";
import { type CronJob, cronJob } from "../scheduler-models/cron-job.ts";
import { debianCron } from "../scheduler-models/debian-cron.ts";
import { comparingScheduler, shiftingScheduler } from "../scheduler-models/plain-schedulers.ts";
import { systemdTimer } from "../scheduler-models/systemd-timer.ts";
import type { Walls } from "../scheduler-models/wall-minutes.ts";
import type { Chance } from "./chance.ts";
import { type Reach, reachOf } from "./reach.ts";
import { PROVEN_SCHEDULES } from "./schedules.ts";

const SCHEDULERS = ["Debian cron", "systemd timer", "comparing", "shifting"] as const;
export type SchedulerName = (typeof SCHEDULERS)[number];

/** A schedule as it is proven: its number decides the chance of its cases. */
export interface ProvenJob {
  readonly number: number;
  readonly declared: string;
  readonly told: CronJob;
  readonly run: CronJob;
  readonly reach: Reach;
}

export const PROVEN_JOBS: readonly ProvenJob[] = PROVEN_SCHEDULES.map(({ declared, crontab }, number) => {
  const run = cronJob(crontab);
  return { number, declared, told: cronJob(declared), run, reach: reachOf(run) };
});

/** The runs of one or more schedulers that do the same. */
export interface Runs {
  readonly schedulers: readonly SchedulerName[];
  readonly fires: readonly number[];
}

export interface Plan {
  /** R17, from the models' own reading. */
  readonly slots: readonly number[];
  readonly runs: readonly Runs[];
  /** The schedulers that run at other minutes than the slots. */
  readonly astray: readonly SchedulerName[];
  /** Where R17 and the schedulers do not fit; empty, else the models or the ruling are wrong. */
  readonly contradictions: readonly string[];
}

export function planOf(job: ProvenJob, walls: Walls, chance: Chance): Plan {
  // Half of the machines are exact, and their timers do what others do.
  const accuracy = chance(2) === 0 ? 0 : chance(60);
  const fires: Record<SchedulerName, number[]> = {
    "Debian cron": debianCron(job.run, walls),
    "systemd timer": systemdTimer(job.run, walls, accuracy),
    comparing: comparingScheduler(job.run, walls),
    shifting: shiftingScheduler(job.run, walls),
  };
  const slots = agreedSlots(job.told, walls);
  const minutes = SCHEDULERS.map((name) => new Set(fires[name].map((second) => second - (second % 60))));
  return {
    slots,
    runs: distinct(fires),
    astray: SCHEDULERS.filter((_, index) => !sameMinutes(minutes[index]!, slots)),
    contradictions: contradictions(slots, minutes),
  };
}

/** A slot is due where every scheduler runs the job, and only there. */
function contradictions(slots: readonly number[], minutes: readonly ReadonlySet<number>[]): string[] {
  const found: string[] = [];
  for (const slot of slots) {
    for (const [index, name] of SCHEDULERS.entries()) {
      if (!minutes[index]!.has(slot)) found.push(`the ${name} scheduler does not run at the slot ${slot} s`);
    }
  }
  const due = new Set(slots);
  for (const minute of minutes[0]!) {
    if (!due.has(minute) && minutes.every((all) => all.has(minute))) found.push(`all run at ${minute} s, no slot`);
  }
  return found;
}

const sameMinutes = (minutes: ReadonlySet<number>, slots: readonly number[]): boolean =>
  minutes.size === slots.length && slots.every((slot) => minutes.has(slot));

/** Debian's cron starts a second past the minute, which is no difference worth another case. */
function distinct(fires: Record<SchedulerName, number[]>): Runs[] {
  const found = new Map<string, { schedulers: SchedulerName[]; fires: number[] }>();
  for (const name of SCHEDULERS) {
    const seconds = fires[name].map((second) => (second % 60 === 1 ? second - 1 : second));
    const key = seconds.join();
    const known = found.get(key);
    if (known === undefined) found.set(key, { schedulers: [name], fires: seconds });
    else known.schedulers.push(name);
  }
  return [...found.values()];
}
