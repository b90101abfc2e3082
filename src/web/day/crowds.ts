// How many jobs start in the same minute, by their schedules: for the histogram above the lanes, and for the words that name
// the crowded minutes. Pure; counts in stretches, because there may be thousands of jobs.

import type { Span } from "../../domain/monitor/window.ts";
import { nextSlot } from "../../domain/schedule/slots.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import type { InStretches } from "../../engine/reads/in-stretches.ts";

/** What starts follow from. */
export interface Starter {
  readonly name: string;
  readonly schedule: string | null;
  readonly timezone: string;
}

export interface BusyMinute {
  /** The minute. */
  readonly at: Instant;
  readonly jobs: number;
  /** The first few: those that start more rarely before others. */
  readonly names: readonly string[];
}

export interface Crowds {
  /** How many jobs start in each part of the span, from its begin on. */
  readonly starts: readonly number[];
  /** The most crowded minutes to come, or of all where none is to come; the largest first. */
  readonly minutes: readonly BusyMinute[];
}

/** Starts that are counted in one stretch: some milliseconds of work. */
const AT_ONCE = 2_000;
/** Fewer are no crowd. */
const CROWD_MIN = 5;
const CROWDS_NAMED = 2;
export const NAMES_SHOWN = 3;

/** `parts`: into how many equal parts the span is divided, of whole minutes. */
export function* crowdsOf(jobs: readonly Starter[], span: Span, parts: number, now: Instant): InStretches<Crowds> {
  const starts = new Array<number>(parts).fill(0);
  const minutes = new Map<Instant, number>();
  const alike = Map.groupBy(
    jobs.filter(({ schedule }) => schedule !== null),
    ({ schedule, timezone }) => `${timezone} ${schedule}`,
  );
  let counted = 0;
  for (const some of alike.values()) {
    const { schedule, timezone } = some[0]!;
    let part = -1;
    for (let minute = minuteFrom(schedule!, timezone, span.from); minute !== null && minute < span.to; ) {
      minutes.set(minute, (minutes.get(minute) ?? 0) + some.length);
      const its = Math.floor(((minute - span.from) / (span.to - span.from)) * parts);
      if (its !== part) starts[its]! += some.length;
      part = its;
      minute = minuteFrom(schedule!, timezone, minute + MINUTE);
      if (++counted % AT_ONCE === 0) yield;
    }
  }
  return { starts, minutes: named(minutes, jobs, now) };
}

/** The first minute from this one on in which a slot lies. */
function minuteFrom(schedule: string, timezone: string, from: Instant): Instant | null {
  const slot = nextSlot(schedule, timezone, from - 1);
  return slot === null ? null : Math.floor(slot / MINUTE) * MINUTE;
}

function named(minutes: ReadonlyMap<Instant, number>, jobs: readonly Starter[], now: Instant): BusyMinute[] {
  const counts = [...minutes.values()].sort((a, b) => a - b);
  const usual = counts[counts.length >> 1] ?? 0;
  const crowded = [...minutes].filter(([, count]) => count >= CROWD_MIN && count >= 2 * usual);
  const ahead = crowded.filter(([at]) => at >= now);
  return (ahead.length === 0 ? crowded : ahead)
    .sort(([atA, a], [atB, b]) => b - a || atA - atB)
    .slice(0, CROWDS_NAMED)
    .map(([at, count]) => ({ at, jobs: count, names: namesAt(jobs, at) }));
}

function namesAt(jobs: readonly Starter[], at: Instant): string[] {
  const next = (job: Starter): Instant => nextSlot(job.schedule!, job.timezone, at + MINUTE - 1) ?? Infinity;
  return jobs
    .filter(({ schedule, timezone }) => schedule !== null && minuteFrom(schedule, timezone, at) === at)
    .map((job) => ({ name: job.name, next: next(job) }))
    .sort((a, b) => (a.next === b.next ? 0 : b.next - a.next))
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => name);
}
