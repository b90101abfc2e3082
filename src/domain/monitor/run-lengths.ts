// How long the runs of a monitor take, week by week, and whether they take ever longer. Pure.

import { DAY, type Instant, SECOND } from "../time.ts";

const WEEK = 7 * DAY;
/** 1970-01-05 was a Monday. */
const MONDAY = 4 * DAY;
const WEEKS_KEPT = 13;

/** Runs that succeeded in the week from then on: how many of them were looked at, and the median of their lengths. */
export type RunWeek = Readonly<{ from: Instant; runs: number; medianMs: number }>;

/** `milliseconds` null: how long it took is not known. */
type EndedRun = Readonly<{ at: Instant; milliseconds: number | null; outcome: string }>;

const WELL: ReadonlySet<string> = new Set(["succeeded", "warned"]);

/** Of two in the middle the longer one; null: there are none. */
export const medianOf = (lengths: readonly number[]): number | null =>
  lengths.toSorted((a, b) => a - b)[lengths.length >> 1] ?? null;

/** The last 13 weeks, oldest first, where a monitor's newest runs were looked at again. */
export function weeksWith(kept: readonly RunWeek[], runs: readonly EndedRun[], now: Instant): readonly RunWeek[] {
  const weeks = new Map(kept.map((week) => [week.from, week]));
  const newest = kept.at(-1)?.from ?? 0;
  const timed = runs.filter(({ outcome, milliseconds }) => WELL.has(outcome) && milliseconds !== null);
  for (const [from, ofWeek] of Map.groupBy(timed, ({ at }) => mondayOf(at))) {
    // Of a week that is over they may be the last alone.
    if (from < newest && ofWeek.length < (weeks.get(from)?.runs ?? 0)) continue;
    const medianMs = medianOf(ofWeek.map(({ milliseconds }) => milliseconds!))!;
    weeks.set(from, { from, runs: ofWeek.length, medianMs });
  }
  return [...weeks.values()].filter(({ from }) => from > now - WEEKS_KEPT * WEEK).sort((a, b) => a.from - b.from);
}

const mondayOf = (at: Instant): Instant => Math.floor((at - MONDAY) / WEEK) * WEEK + MONDAY;

/** From there on a job counts as getting slow; shorter differences, and those of few runs, are left to chance. */
const SLOWER = { times: 1.5, ms: 10 * SECOND, runs: 10 } as const;
/** A median that is longer than the shortest by no more than this is as short. */
const AS_SHORT = 1.1;

/** `slower`: how many times as long as so many weeks before; null: about as long as ever. */
export type UsualLength = Readonly<{
  usualMs: number;
  slower: { readonly times: number; readonly weeks: number } | null;
}>;

/** How long its runs take in its newest week, beside the last week that was as short as any; null: none is known. */
export function usualLength(weeks: readonly RunWeek[]): UsualLength | null {
  const newest = weeks.at(-1);
  if (newest === undefined) return null;
  const usualMs = newest.medianMs;
  const shortest = Math.min(...weeks.map(({ medianMs }) => medianMs));
  const short = weeks.findLast(({ medianMs }) => medianMs <= shortest * AS_SHORT)!;
  const isKnown = weeks.reduce((sum, { runs }) => sum + runs, 0) >= SLOWER.runs;
  // A job that took no time at all was not measured.
  const times = usualMs / Math.max(SECOND, short.medianMs);
  const isSlower = isKnown && times >= SLOWER.times && usualMs - short.medianMs >= SLOWER.ms;
  return { usualMs, slower: isSlower ? { times, weeks: Math.round((newest.from - short.from) / WEEK) } : null };
}

type Slower = NonNullable<UsualLength["slower"]>;

const timesOf = ({ times }: Slower): string => String(times < 3 ? Math.round(times * 10) / 10 : Math.round(times));
const weeksOf = ({ weeks }: Slower): string => (weeks === 1 ? "a week" : `${weeks} weeks`);

/** `↗ 5× in 3 weeks`. */
export const slowerInShort = (slower: Slower): string => `↗ ${timesOf(slower)}× in ${weeksOf(slower)}`;

/** `5 times as long as 3 weeks ago`. */
export const slowerInWords = (slower: Slower): string => `${timesOf(slower)} times as long as ${weeksOf(slower)} ago`;
