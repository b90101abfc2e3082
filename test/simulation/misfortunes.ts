// The faults of jobs and their hosts, which rollcall must notice: hosts that are off, schedulers that stop starting a
// job, for a while or for good; and jobs that somebody changes. None of it is rollcall's fault.

import type { Agenda } from "./agenda.ts";
import type { Job } from "./job.ts";
import type { Random } from "./random.ts";
import { DAY, HOUR, type Instant, MINUTE, YEAR } from "./units.ts";

export interface MisfortuneParts {
  readonly agenda: Agenda;
  readonly now: () => Instant;
  readonly random: Random;
  readonly jobs: readonly Job[];
  /** For each host, until when it is off; written here. */
  readonly offUntil: Instant[];
  readonly end: Instant;
  readonly count: (what: string) => void;
}

/** Per host, per job, and once in the life of this many jobs. */
const OFF_PER_YEAR = 5;
const SILENT_PER_YEAR = 0.7;
const DEAD_PER_YEAR = 0.06;

export function planMisfortunes({ agenda, now, random, jobs, offUntil, end, count }: MisfortuneParts): void {
  function recur(own: Random, perYear: number, befall: () => void): void {
    const at = now() + own.exponential(YEAR / perYear);
    if (at >= end) return;
    agenda.enter(Math.round(at), () => {
      befall();
      recur(own, perYear, befall);
    });
  }

  for (const host of offUntil.keys()) {
    const own = random.branch(`misfortunes of host ${host}`);
    recur(own, OFF_PER_YEAR, () => {
      offUntil[host] = Math.round(now() + own.exponential(6 * HOUR) + 5 * MINUTE);
      count("host off");
    });
  }
  for (const job of jobs) {
    const own = random.branch(`misfortunes of ${job.member.key}`);
    recur(own, SILENT_PER_YEAR, () => {
      job.silence(Math.round(now() + own.exponential(2 * DAY)));
      count("job silent for a while");
    });
    recur(own, DEAD_PER_YEAR, () => {
      job.silence(Number.POSITIVE_INFINITY);
      count("job dead");
    });
    const { laterTerms } = job.member;
    if (laterTerms !== null)
      agenda.enter(Math.round(now() + own.fraction() * (end - now())), () => job.change(laterTerms));
  }
}
