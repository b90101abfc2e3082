// Whether a run took much longer or shorter than the runs before it, by their quantiles, which one wild run among them
// hardly changes. Pure.

import { DAY, type Instant, MINUTE, SECOND } from "../time.ts";

/** A run that succeeded. */
export type PastRun = Readonly<{ endedAt: Instant; ms: number }>;

/** How long runs usually take, in milliseconds. */
export type UsualSpan = Readonly<{ fromMs: number; toMs: number }>;

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

/** What was usual before a run that is not; null: it is, or too little is known. `before`: the newest runs. */
export function unusualBeside(run: PastRun, before: readonly PastRun[]): UsualSpan | null {
  if (before.length < RUNS_MIN || isUsualAmong(run, before)) return null;
  // A weekly backup among daily ones.
  const alike = before.filter(({ endedAt }) => weekdayOf(endedAt) === weekdayOf(run.endedAt));
  return alike.length >= ALIKE_MIN && isUsualAmong(run, alike) ? null : usualSpan(before);
}

const ALIKE_MIN = 3;

const weekdayOf = (at: Instant): number => Math.floor(at / DAY) % 7;

function usualSpan(runs: readonly PastRun[]): UsualSpan {
  const lengths = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (quantile: number): number => lengths[Math.round(quantile * (lengths.length - 1))]!;
  return { fromMs: at(LOW), toMs: at(HIGH) };
}

function isUsualAmong({ ms }: PastRun, runs: readonly PastRun[]): boolean {
  const { fromMs, toMs } = usualSpan(runs);
  const isLong = ms > LONGER * toMs && ms - toMs > LONGER_BY;
  const isShort = ms * SHORTER < fromMs && fromMs > A_WHILE;
  return !isLong && !isShort;
}
