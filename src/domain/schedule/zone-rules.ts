// The rules of one time zone: when its clocks change, and their offsets from UTC. zone.ts finds a zone's rules.

import { DAY, type Instant, SECOND } from "../time.ts";

/** What a wall clock shows, without a zone: the instant at which a clock in UTC shows the same. */
export type WallTime = number;

/** A time in which a zone's clocks do not change. The periods of a zone follow one another directly. */
export interface OffsetPeriod {
  /** When the period begins; -Infinity for the first one. */
  readonly from: Instant;
  /** When the next period begins; Infinity for the last one. */
  readonly until: Instant;
  /** Wall time minus UTC in this period, in milliseconds. */
  readonly offset: number;
  /**
   * The first wall time that no earlier period has shown (R17). For example, when clocks are set back from 03:00 to
   * 02:00, the new period begins at 02:00 and this is 03:00.
   */
  readonly freshFrom: WallTime;
}

export interface ZoneRules {
  /** When the clocks change, in ascending order. */
  readonly changes: Float64Array;
  /** The offsets from UTC in milliseconds: the one before the first change, and then the one after each change. */
  readonly offsets: Float64Array;
  /** True when the last 400 years of `changes` repeat for ever; false when the last offset holds for ever. */
  readonly repeats: boolean;
}

/** At the instant `at` the clocks of a zone change to this offset from UTC, in milliseconds. */
export type OffsetChange = readonly [at: Instant, offset: number];

/** 400 years in milliseconds. After them the Gregorian calendar repeats, with its weekdays. */
const CYCLE = 146_097 * DAY;

/**
 * Changes are listed up to this year. In the last 400 years before it, zones have only changes that repeat each year.
 * So the list ends with a whole `CYCLE` of them, from which all later changes follow.
 */
export const WRITTEN_UNTIL_YEAR = 2500;

/**
 * Makes the rules of a zone from `before`, its offset before any change, and a list of changes in any order. Changes
 * that keep the offset are dropped. Of two changes at one instant the one later in the list counts.
 */
export function zoneRules(before: number, changes: readonly OffsetChange[], repeats: boolean): ZoneRules {
  const ordered = changes.toSorted(([one], [other]) => one - other);
  const kept: OffsetChange[] = [];
  for (const [place, [at, offset]] of ordered.entries()) {
    if (ordered[place + 1]?.[0] === at) continue;
    if (offset !== (kept.at(-1)?.[1] ?? before)) kept.push([at, offset]);
  }
  return {
    changes: Float64Array.from(kept, ([at]) => at),
    offsets: Float64Array.from([before, ...kept.map(([, offset]) => offset)]),
    repeats: repeats && kept.length > 0,
  };
}

/**
 * The period that contains `at`. Its `freshFrom` looks only at the period before it, which is enough: no zone changes
 * twice within about a day. A test checks that for the whole history of every zone.
 */
export function periodOf({ changes, offsets, repeats }: ZoneRules, at: Instant): OffsetPeriod {
  const last = changes.at(-1) ?? Number.POSITIVE_INFINITY;
  const shift = repeats && at >= last ? (Math.floor((at - last) / CYCLE) + 1) * CYCLE : 0;
  const place = countUntil(changes, at - shift);
  const offset = offsets[place]!;
  const until = place === changes.length ? Number.POSITIVE_INFINITY : changes[place]! + shift;
  if (place === 0) return { from: Number.NEGATIVE_INFINITY, until, offset, freshFrom: Number.NEGATIVE_INFINITY };
  const from = changes[place - 1]! + shift;
  return { from, until, offset, freshFrom: from + Math.max(offset, offsets[place - 1]!) };
}

/** How many of these instants are at most `at`. */
function countUntil(ascending: Float64Array, at: Instant): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Writes rules as text that can be stored and compared, and reads it. For example `3600;954032400 7200;…`: the offset
// in seconds at the beginning of 2000, and then each change up to 2100. Changes outside these years touch no slot that
// rollcall waits for.

const [KEPT_FROM, KEPT_UNTIL] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)];

export function rulesToText(rules: ZoneRules): string {
  let period = periodOf(rules, KEPT_FROM);
  const words = [`${period.offset / SECOND}`];
  while (period.until < KEPT_UNTIL) {
    period = periodOf(rules, period.until);
    words.push(`${period.from / SECOND} ${period.offset / SECOND}`);
  }
  return words.join(";");
}

export function rulesFromText(text: string): ZoneRules {
  const [first, ...rest] = text.split(";");
  const changes = rest.map((word) => word.split(" ").map((number) => Number(number) * SECOND) as [number, number]);
  return zoneRules(Number(first) * SECOND, changes, false);
}
