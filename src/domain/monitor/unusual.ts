// Whether a run took much longer or shorter than the runs before it, by their quantiles, which one wild run among them
// hardly changes. Pure.

import { DAY, type Instant, MINUTE, SECOND } from "../time.ts";

/** A run that is over, by the report of its end. */
export type PastRun = Readonly<{ endedAt: Instant; ms: number }>;

/** How long runs usually take, in milliseconds. */
export type UsualSpan = Readonly<{ fromMs: number; toMs: number }>;

/** What is usual beside runs before it: all of them, and those of its weekday. `isTold`: that it goes on for longer. */
export type UsualRun = UsualSpan & Readonly<{ shortestMs: number; longestMs: number; isTold: boolean }>;

/** With fewer runs nothing is usual. */
const RUNS_MIN = 20;
/** Of the runs before it, those that are looked at. */
export const RUNS_LOOKED_AT = 64;
const LOW = 0.05;
const HIGH = 0.95;
/** So many times as long, and longer by so much; or a part of the time, of runs that usually take a while. */
const LONGER = 2.5;
const LONGER_BY = MINUTE;
const SHORTER = 4;
const A_WHILE = 20 * SECOND;

/** What is usual for a run that starts then; null: too little is known. `before`: the newest runs. */
export function usualBefore(startedAt: Instant, before: readonly PastRun[]): UsualRun | null {
  if (before.length < RUNS_MIN) return null;
  const all = usualSpan(before);
  // A weekly backup among daily ones.
  const alike = before.filter(({ endedAt, ms }) => weekdayOf(endedAt - ms) === weekdayOf(startedAt));
  const spans = alike.length < ALIKE_MIN ? [all] : [all, usualSpan(alike)];
  const longestMs = Math.max(...spans.map(({ toMs }) => Math.max(LONGER * toMs, toMs + LONGER_BY)));
  const shortestMs = Math.min(...spans.map(({ fromMs }) => (fromMs > A_WHILE ? fromMs / SHORTER : 0)));
  return { ...all, shortestMs, longestMs, isTold: false };
}

/** Whether nothing is unusual about a run that took so many milliseconds. */
export const isWithin = ({ shortestMs, longestMs }: UsualRun, ms: number): boolean =>
  ms >= shortestMs && ms <= longestMs;

const ALIKE_MIN = 3;

/** What starts at midnight may seem to start just before: lengths are whole seconds. */
const weekdayOf = (startedAt: Instant): number => Math.floor((startedAt + MINUTE) / DAY) % 7;

function usualSpan(runs: readonly PastRun[]): UsualSpan {
  const lengths = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (quantile: number): number => lengths[Math.round(quantile * (lengths.length - 1))]!;
  return { fromMs: at(LOW), toMs: at(HIGH) };
}
