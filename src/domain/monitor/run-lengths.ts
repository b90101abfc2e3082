// Sums up how long a job's runs take, by weeks, and tells whether they take longer and longer. Pure.

import { DAY, type Instant, SECOND } from "../time.ts";

const WEEK = 7 * DAY;
/** The first Monday after 1970-01-01, from which weeks are counted. */
const MONDAY = 4 * DAY;
const WEEKS_KEPT = 13;

/** The successful runs of one week, which begins at `from`: how many were measured, and the median of their lengths. */
export type RunWeek = Readonly<{ from: Instant; runs: number; medianMs: number }>;

/** `milliseconds` is the length of the run; `null` when that is not known. */
type EndedRun = Readonly<{ at: Instant; milliseconds: number | null; result: string }>;

const WELL: ReadonlySet<string> = new Set(["succeeded", "warned"]);

/**
 * The median of these lengths; `null` without any. Of an even number of lengths it is the longer of the two in the
 * middle.
 */
export const medianOf = (lengths: readonly number[]): number | null =>
  lengths.toSorted((a, b) => a - b)[lengths.length >> 1] ?? null;

/** The last 13 weeks, the oldest first: the stored weeks `kept`, with the weeks of `runs` computed again. */
export function weeksWith(kept: readonly RunWeek[], runs: readonly EndedRun[], now: Instant): readonly RunWeek[] {
  const weeks = new Map(kept.map((week) => [week.from, week]));
  const newest = kept.at(-1)?.from ?? 0;
  const timed = runs.filter(({ result, milliseconds }) => WELL.has(result) && milliseconds !== null);
  for (const [from, ofWeek] of Map.groupBy(timed, ({ at }) => mondayOf(at))) {
    // `runs` may begin in the middle of a week. Then the stored summary of that week covers more runs, and stays.
    if (from < newest && ofWeek.length < (weeks.get(from)?.runs ?? 0)) continue;
    const medianMs = medianOf(ofWeek.map(({ milliseconds }) => milliseconds!))!;
    weeks.set(from, { from, runs: ofWeek.length, medianMs });
  }
  return [...weeks.values()].filter(({ from }) => from > now - WEEKS_KEPT * WEEK).sort((a, b) => a.from - b.from);
}

const mondayOf = (at: Instant): Instant => Math.floor((at - MONDAY) / WEEK) * WEEK + MONDAY;

/**
 * Runs count as slower than in an earlier week only if they take at least `times` as long and `ms` milliseconds longer.
 * At least `runs` runs must be measured. Smaller differences may be chance.
 */
const SLOWER = { times: 1.5, ms: 10 * SECOND, runs: 10 } as const;
/** The runs of a week were short if their median is at most this many times the shortest median of all weeks. */
const AS_SHORT = 1.1;

/** Runs take `usualMs` now, `times` as long as `weeks` weeks ago. `slower` is `null` if they take as long as ever. */
export type UsualLength = Readonly<{
  usualMs: number;
  slower: { readonly times: number; readonly weeks: number } | null;
}>;

/**
 * How long runs take in the newest week, and whether they were faster before. They are compared with the last week in
 * which runs were short (`AS_SHORT`). For example: 60 s now, twice as long as 3 weeks ago. `null` without weeks.
 */
export function usualLength(weeks: readonly RunWeek[]): UsualLength | null {
  const newest = weeks.at(-1);
  if (newest === undefined) return null;
  const usualMs = newest.medianMs;
  const shortest = Math.min(...weeks.map(({ medianMs }) => medianMs));
  const short = weeks.findLast(({ medianMs }) => medianMs <= shortest * AS_SHORT)!;
  const isKnown = weeks.reduce((sum, { runs }) => sum + runs, 0) >= SLOWER.runs;
  // Lengths are whole seconds, so a length of 0 means less than a second. It counts as one second here.
  const times = usualMs / Math.max(SECOND, short.medianMs);
  const isSlower = isKnown && times >= SLOWER.times && usualMs - short.medianMs >= SLOWER.ms;
  return { usualMs, slower: isSlower ? { times, weeks: Math.round((newest.from - short.from) / WEEK) } : null };
}

export type Slower = NonNullable<UsualLength["slower"]>;
