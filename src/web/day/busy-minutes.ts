// Counts how many jobs start in the same minute by their schedules. The day page draws this as a histogram and names
// the busiest minutes. The counting is done in pieces, because there may be thousands of jobs.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import type { Span } from "../../domain/monitor/window.ts";
import { nextSlot } from "../../domain/schedule/slots.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import { nameOnPage } from "../shown.ts";

export type Starter = Readonly<{ key: string; name: string; schedule: string | null; timezone: string }>;

export interface BusyMinute {
  readonly at: Instant;
  readonly jobs: number;
  /** The names of at most `NAMES_SHOWN` jobs that start in this minute; jobs that start more rarely come first. */
  readonly names: readonly string[];
}

export interface BusyMinutes {
  /** How many jobs start in each part of the span, from its beginning on. */
  readonly starts: readonly number[];
  /**
   * The busiest minutes, the one with the most jobs first. Minutes in the past are listed only when no minute in the
   * future is busy.
   */
  readonly minutes: readonly BusyMinute[];
}

/** How many starts are counted, and how many jobs are grouped by schedule, before other work may go on. */
const AT_ONCE = 1_000;
/** How many starts make a minute busy; one with fewer is not named. */
const BUSY_MIN = 5;
const MINUTES_NAMED = 2;
export const NAMES_SHOWN = 3;

/**
 * Counts how many jobs start in each of `parts` equal parts of the span, and finds the busiest minutes. Each part must
 * last whole minutes.
 */
export function* busyMinutesOf(
  jobs: readonly Starter[],
  span: Span,
  parts: number,
  now: Instant,
): InPieces<BusyMinutes> {
  const starts = new Array<number>(parts).fill(0);
  const minutes = new Map<Instant, number>();
  const alike = yield* alikeOf(jobs);
  let counted = 0;
  for (const { schedule, timezone, jobs: some } of alike) {
    if (++counted % AT_ONCE === 0) yield;
    let part = -1;
    for (let minute = minuteFrom(schedule, timezone, span.from); minute !== null && minute < span.to; ) {
      minutes.set(minute, (minutes.get(minute) ?? 0) + some.length);
      const its = Math.floor(((minute - span.from) / (span.to - span.from)) * parts);
      if (its !== part) starts[its]! += some.length;
      part = its;
      minute = minuteFrom(schedule, timezone, minute + MINUTE);
      if (++counted % AT_ONCE === 0) yield;
    }
  }
  const busy: BusyMinute[] = [];
  for (const [at, count] of busiest(minutes, now)) {
    yield;
    busy.push({ at, jobs: count, names: yield* namesAt(alike, at) });
  }
  return { starts, minutes: busy };
}

/**
 * Divides the span into `parts` equal parts and counts the jobs that start in each. To be quick, it computes the next
 * slot of a schedule at most once a part.
 */
export function* dayStarts(jobs: readonly Starter[], span: Span, parts: number): InPieces<number[]> {
  const starts = new Array<number>(parts).fill(0);
  const wide = (span.to - span.from) / parts;
  let counted = 0;
  for (const { schedule, timezone, jobs: some } of yield* alikeOf(jobs)) {
    for (let at = nextSlot(schedule, timezone, span.from - 1); at !== null && at < span.to; ) {
      const part = Math.floor((at - span.from) / wide);
      starts[part]! += some.length;
      at = nextSlot(schedule, timezone, span.from + (part + 1) * wide - 1);
      if (++counted % AT_ONCE === 0) yield;
    }
  }
  return starts;
}

/** The jobs that have the same schedule in the same zone, so that its slots are computed once for all of them. */
type AlikeStarters = Readonly<{ schedule: string; timezone: string; jobs: Starter[] }>;

function* alikeOf(jobs: readonly Starter[]): InPieces<readonly AlikeStarters[]> {
  const alike = new Map<string, AlikeStarters>();
  for (const piece of piecesOf(jobs, AT_ONCE)) {
    for (const job of piece) {
      const { schedule, timezone } = job;
      if (schedule === null) continue;
      const name = `${timezone} ${schedule}`;
      const some = alike.get(name);
      if (some === undefined) alike.set(name, { schedule, timezone, jobs: [job] });
      else some.jobs.push(job);
    }
    yield;
  }
  return [...alike.values()];
}

/** The first minute at or after `from` in which a slot lies; `null` when no slot follows. */
function minuteFrom(schedule: string, timezone: string, from: Instant): Instant | null {
  const slot = nextSlot(schedule, timezone, from - 1);
  return slot === null ? null : Math.floor(slot / MINUTE) * MINUTE;
}

/**
 * Returns at most two busy minutes, each with the number of jobs that start in it. A minute is busy when at least five
 * jobs start in it, and twice as many as usual.
 */
function busiest(minutes: ReadonlyMap<Instant, number>, now: Instant): (readonly [Instant, number])[] {
  const counts = [...minutes.values()].sort((a, b) => a - b);
  const usual = counts[counts.length >> 1] ?? 0;
  const busy = [...minutes].filter(([, count]) => count >= BUSY_MIN && count >= 2 * usual);
  const ahead = busy.filter(([at]) => at >= now);
  return (ahead.length === 0 ? busy : ahead).sort(([atA, a], [atB, b]) => b - a || atA - atB).slice(0, MINUTES_NAMED);
}

function* namesAt(alike: readonly AlikeStarters[], at: Instant): InPieces<string[]> {
  const starting: { readonly some: AlikeStarters; readonly next: Instant }[] = [];
  for (const [place, some] of alike.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) yield;
    const { schedule, timezone } = some;
    if (minuteFrom(schedule, timezone, at) !== at) continue;
    starting.push({ some, next: nextSlot(schedule, timezone, at + MINUTE - 1) ?? Infinity });
  }
  return starting
    .sort((a, b) => (a.next === b.next ? 0 : b.next - a.next))
    .flatMap(({ some }) => some.jobs.slice(0, NAMES_SHOWN))
    .slice(0, NAMES_SHOWN)
    .map(nameOnPage);
}
