// When three kinds of scheduler run a job: Debian's cron, systemd's timers, and a plain one that runs what the clock on
// the wall shows. They differ on days on which clocks are changed; there each is walked minute by minute.

import type { Crontab } from "./crontab.ts";
import { DAY, HOUR, type Instant, MINUTE } from "./units.ts";
import type { Zone } from "./zone.ts";

export type SchedulerKind = "debian" | "systemd" | "plain";

/** The first time after `at` at which this scheduler runs the job; Infinity when there is none within ten years. */
export type NextRun = (at: Instant) => Instant;

const DAYS_WALKED = 10 * 366;

export function schedulerOf(kind: SchedulerKind, crontab: Crontab, zone: Zone): NextRun {
  /** The UTC days whose list was made last; a job asks for one after the other. */
  let list: { readonly day: number; readonly runs: readonly Instant[] } = { day: Number.NaN, runs: [] };

  function runsOfUtcDay(day: number): readonly Instant[] {
    if (list.day === day) return list.runs;
    const runs = zone.isQuiet(day) ? quietRuns(day) : walkedRuns(day);
    list = { day, runs };
    return runs;
  }

  function quietRuns(day: number): Instant[] {
    const offset = zone.offsetAt(day * DAY);
    const runs: Instant[] = [];
    for (const local of [day - 1, day, day + 1]) {
      if (!crontab.matchesDay(local)) continue;
      for (const minute of crontab.minutes) {
        const at = local * DAY + minute * MINUTE - offset;
        if (at >= day * DAY && at < (day + 1) * DAY) runs.push(at);
      }
    }
    return runs;
  }

  /** Walked from a day before, so that whatever the scheduler remembers of a change is there. */
  function walkedRuns(day: number): Instant[] {
    const walk = { debian: walkDebian, systemd: walkSystemd, plain: walkPlain }[kind];
    const from = (day - 1) * DAY;
    return walk(crontab, zone, from, (day + 1) * DAY).filter((at) => at >= day * DAY);
  }

  return (at) => {
    const today = Math.floor(at / DAY);
    for (let day = today; day < today + DAYS_WALKED; day++) {
      for (const run of runsOfUtcDay(day)) if (run > at) return run;
    }
    return Number.POSITIVE_INFINITY;
  };
}

const isDue = (crontab: Crontab, wall: Instant): boolean => {
  const day = Math.floor(wall / DAY);
  return crontab.matchesDay(day) && crontab.minutes.includes((wall - day * DAY) / MINUTE);
};

/** Runs what the wall shows, each time it shows it: never in a skipped hour, twice in a repeated one. */
function walkPlain(crontab: Crontab, zone: Zone, from: Instant, until: Instant): Instant[] {
  const runs: Instant[] = [];
  for (let at = from; at < until; at += MINUTE) if (isDue(crontab, at + zone.offsetAt(at))) runs.push(at);
  return runs;
}

/** Goes from one wall-clock time on to the next later one: neither a skipped hour nor the second of two is seen. */
function walkSystemd(crontab: Crontab, zone: Zone, from: Instant, until: Instant): Instant[] {
  const runs: Instant[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = from; at < until; at += MINUTE) {
    const wall = at + zone.offsetAt(at);
    if (wall <= latest) continue;
    latest = wall;
    if (isDue(crontab, wall)) runs.push(at);
  }
  return runs;
}

/**
 * Keeps a time of its own that follows the wall: after a skip of up to three hours it runs at once what it skipped, but
 * for jobs with `*` in minute or hour; in a repeated hour it runs only those.
 */
function walkDebian(crontab: Crontab, zone: Zone, from: Instant, until: Instant): Instant[] {
  const runs: Instant[] = [];
  let own = from + zone.offsetAt(from) - MINUTE;
  for (let at = from; at < until; at += MINUTE) {
    const wall = at + zone.offsetAt(at);
    const behind = wall - own;
    if (behind > 3 * HOUR || behind <= -3 * HOUR) {
      if (isDue(crontab, wall)) runs.push(at);
      own = wall;
    } else if (behind <= 0) {
      if (crontab.wild && isDue(crontab, wall)) runs.push(at);
    } else {
      if (crontab.wild && isDue(crontab, wall)) runs.push(at);
      for (own += MINUTE; own <= wall; own += MINUTE) if (!crontab.wild && isDue(crontab, own)) runs.push(at);
      own = wall;
    }
  }
  return runs;
}
