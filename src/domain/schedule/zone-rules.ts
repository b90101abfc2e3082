// The rules of one time zone: when its clocks change, and how much they differ from UTC between the changes. It does
// not know where the rules come from.

import { DAY, type Instant, SECOND } from "../time.ts";

/** A wall-clock time without a zone, written as the instant it would be in UTC: milliseconds since 1970-01-01. */
export type WallTime = number;

/** A span in which a zone's clocks run without a change. The periods of a zone follow one another without a gap. */
export interface OffsetPeriod {
  /** The first instant; -Infinity when there is no earlier period. */
  readonly from: Instant;
  /** The first instant after the period; Infinity when there is no later one. */
  readonly until: Instant;
  /** How many milliseconds are added to an instant for its wall time. */
  readonly offset: number;
  /**
   * The first wall time that this period is the first to show. When clocks were set back it is later than the wall time
   * of `from`, because the period before has already shown the times between (R17).
   */
  readonly freshFrom: WallTime;
}

export interface ZoneRules {
  /** The instants at which the offset changes, in ascending order. */
  readonly changes: Float64Array;
  /** The offsets in milliseconds: first the one before every change, then the one from each change on. */
  readonly offsets: Float64Array;
  /** Whether the last 400 years of changes repeat for ever; otherwise the last offset holds for ever. */
  readonly repeats: boolean;
}

/** From this instant on, the clocks of a zone show this many milliseconds more than UTC. */
export type OffsetChange = readonly [at: Instant, offset: number];

/** The milliseconds of 400 years, after which the Gregorian calendar repeats, weekdays included. */
const CYCLE = 146_097 * DAY;

/** The year up to which changes are listed. It is more than a cycle after the last change that is not a repetition. */
export const WRITTEN_UNTIL_YEAR = 2500;

/** Sorts the changes and drops those that keep the offset. Of two at one instant, the later one in the list counts. */
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
 * The period in which an instant lies. Only the period before it can have shown one of its wall times, because no zone
 * changes twice within about a day. A test checks that for the whole history of every zone.
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

/** How many of these ascending instants are not later than `at`. */
function countUntil(ascending: Float64Array, at: Instant): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Converts rules to text and back, so that they can be stored and compared: the offset at the beginning of a century,
// and then each change, `3600;954032400 7200;…`. Other centuries affect no slot that is ever waited for.

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
