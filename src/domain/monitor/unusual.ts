// Tells whether a run takes much longer or shorter than the runs before it. It leaves out the longest and shortest 5 %
// of those, so that a single extreme run hardly matters. Pure.

import { DAY, type Instant, MINUTE, SECOND } from "../time.ts";

/** An earlier run whose end was reported. It took `ms` milliseconds. */
export type PastRun = Readonly<{ endedAt: Instant; ms: number }>;

/** How long runs usually take, in milliseconds: nine of ten take between these two lengths. */
export type UsualSpan = Readonly<{ fromMs: number; toMs: number }>;

/**
 * What is usual for one run. A run is unusual when it takes less than `shortestMs` or more than `longestMs`. `isTold`
 * is true once people were told that the run takes unusually long.
 */
export type UsualRun = UsualSpan & Readonly<{ shortestMs: number; longestMs: number; isTold: boolean }>;

/** With fewer earlier runs than this it is not known what is usual. */
const RUNS_MIN = 20;
/** With how many earlier runs a run is compared at most. */
export const RUNS_LOOKED_AT = 64;
const LOW = 0.05;
const HIGH = 0.95;
/**
 * A run is unusually long when it takes over `LONGER` times as long as usual, and over `LONGER_BY` longer. It is
 * unusually short when it takes under a quarter of the usual time, if the usual time is over 20 seconds (`A_WHILE`).
 */
const LONGER = 2.5;
const LONGER_BY = MINUTE;
const SHORTER = 4;
const A_WHILE = 20 * SECOND;

/** What is usual for a run that starts at `startedAt`, by the newest runs `before` it; `null` for fewer than 20. */
export function usualBefore(startedAt: Instant, before: readonly PastRun[]): UsualRun | null {
  if (before.length < RUNS_MIN) return null;
  const all = usualSpan(before);
  // A run is compared with those of its weekday too: each Sunday the weekly backup of a daily job takes longer.
  const alike = before.filter(({ endedAt, ms }) => weekdayOf(endedAt - ms) === weekdayOf(startedAt));
  const spans = alike.length < ALIKE_MIN ? [all] : [all, usualSpan(alike)];
  const longestMs = Math.max(...spans.map(({ toMs }) => Math.max(LONGER * toMs, toMs + LONGER_BY)));
  const shortestMs = Math.min(...spans.map(({ fromMs }) => (fromMs > A_WHILE ? fromMs / SHORTER : 0)));
  return { ...all, shortestMs, longestMs, isTold: false };
}

export const isUsualRunLength = ({ shortestMs, longestMs }: UsualRun, ms: number): boolean =>
  ms >= shortestMs && ms <= longestMs;

const ALIKE_MIN = 3;

/**
 * The weekday of a run in UTC, as a number from 0 (Thursday) to 6. The start is the end minus the length in whole
 * seconds, so a run from midnight on may seem to start just before. A minute is added for that.
 */
const weekdayOf = (startedAt: Instant): number => Math.floor((startedAt + MINUTE) / DAY) % 7;

function usualSpan(runs: readonly PastRun[]): UsualSpan {
  const lengths = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (quantile: number): number => lengths[Math.round(quantile * (lengths.length - 1))]!;
  return { fromMs: at(LOW), toMs: at(HIGH) };
}
