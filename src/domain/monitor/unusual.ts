// Tells whether a run took much longer or shorter than the runs before it. It compares by quantiles, which a single
// extreme run hardly changes. Pure.

import { DAY, type Instant, MINUTE, SECOND } from "../time.ts";

/** A finished run whose end was reported. */
export type PastRun = Readonly<{ endedAt: Instant; ms: number }>;

/** How long runs usually take, in milliseconds. */
export type UsualSpan = Readonly<{ fromMs: number; toMs: number }>;

/**
 * The usual lengths for a run, from all runs before it and from those of its weekday. `isTold` is true once it was told
 * that the run takes longer.
 */
export type UsualRun = UsualSpan & Readonly<{ shortestMs: number; longestMs: number; isTold: boolean }>;

/** How many runs must be known; with fewer, nothing counts as usual. */
const RUNS_MIN = 20;
/** How many of the runs before are examined. */
export const RUNS_LOOKED_AT = 64;
const LOW = 0.05;
const HIGH = 0.95;
/**
 * A run is unusually long when it takes this many times as long as usual and at least `LONGER_BY` longer. It is
 * unusually short when it takes a quarter of the time, if runs usually take `A_WHILE` or more.
 */
const LONGER = 2.5;
const LONGER_BY = MINUTE;
const SHORTER = 4;
const A_WHILE = 20 * SECOND;

/** The usual lengths for a run that starts now; `null` when too few runs are known. `before` holds the newest runs. */
export function usualBefore(startedAt: Instant, before: readonly PastRun[]): UsualRun | null {
  if (before.length < RUNS_MIN) return null;
  const all = usualSpan(before);
  // Runs of the same weekday are compared too, for example a weekly backup among daily ones.
  const alike = before.filter(({ endedAt, ms }) => weekdayOf(endedAt - ms) === weekdayOf(startedAt));
  const spans = alike.length < ALIKE_MIN ? [all] : [all, usualSpan(alike)];
  const longestMs = Math.max(...spans.map(({ toMs }) => Math.max(LONGER * toMs, toMs + LONGER_BY)));
  const shortestMs = Math.min(...spans.map(({ fromMs }) => (fromMs > A_WHILE ? fromMs / SHORTER : 0)));
  return { ...all, shortestMs, longestMs, isTold: false };
}

/** Whether a run that took so many milliseconds is not unusual. */
export const isWithin = ({ shortestMs, longestMs }: UsualRun, ms: number): boolean =>
  ms >= shortestMs && ms <= longestMs;

const ALIKE_MIN = 3;

/**
 * The weekday of a run. A minute is added because a run that starts at midnight may seem to start just before: lengths
 * are whole seconds.
 */
const weekdayOf = (startedAt: Instant): number => Math.floor((startedAt + MINUTE) / DAY) % 7;

function usualSpan(runs: readonly PastRun[]): UsualSpan {
  const lengths = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (quantile: number): number => lengths[Math.round(quantile * (lengths.length - 1))]!;
  return { fromMs: at(LOW), toMs: at(HIGH) };
}
