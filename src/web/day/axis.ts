// Computes the time axis of the day page: its beginning and end, the position of an instant on it, its ticks, and clock
// changes.

import type { Span } from "../../domain/monitor/window.ts";
import { type OffsetPeriod, offsetPeriodAt } from "../../domain/schedule/zone.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../domain/time.ts";
import type { DayQuery } from "./query.ts";

interface Reach {
  /** How many milliseconds the axis goes beyond the end of the present hour. */
  readonly ahead: number;
  readonly length: number;
  /** How many milliseconds the links "earlier" and "later" move the axis. */
  readonly step: number;
}

/**
 * How far each span reaches. A day shows the past 24 hours and the next 12; a week shows the past week and the next
 * day. Both also show the present hour; the span `hour` shows that alone.
 */
const REACHES: Readonly<Record<DayQuery["span"], Reach>> = {
  day: { ahead: 12 * HOUR, length: 37 * HOUR, step: DAY },
  week: { ahead: DAY, length: 8 * DAY + HOUR, step: 7 * DAY },
  hour: { ahead: 0, length: HOUR, step: HOUR },
};

/**
 * Returns the span of a query. A span around now moves on only once an hour, so that an open page changes as little as
 * possible.
 */
export function spanOf({ span, from, until }: Pick<DayQuery, "span" | "from" | "until">, now: Instant): Span {
  const { ahead, length } = REACHES[span];
  const to = until ?? Math.floor(now / HOUR) * HOUR + HOUR + ahead;
  return { from: from ?? to - length, to };
}

/**
 * Returns the queries of the links "earlier" and "later". When a link leads back to the span around now, its query has
 * `until` `null`, so that the span moves on with the clock again. The query of a zoom always has an `until`.
 */
export function earlierAndLaterQuery(query: DayQuery, now: Instant): { earlier: DayQuery; later: DayQuery } {
  const { from, to } = spanOf(query, now);
  const step = query.from === null ? REACHES[query.span].step : to - from;
  const current = spanOf({ ...query, from: null, until: null }, now).to;
  const at = (until: Instant): DayQuery =>
    query.from !== null
      ? { ...query, from: until - step, until }
      : { ...query, until: Math.abs(until - current) < HOUR ? null : until };
  return { earlier: at(to - step), later: at(to + step) };
}

/** The position of an instant on the axis, from 0 to 1; an instant outside the span is at the nearer end. */
export const dayAxisPosition = (at: Instant, { from, to }: Span): number =>
  Math.min(1, Math.max(0, (at - from) / (to - from)));

interface Tick {
  readonly at: Instant;
  /**
   * What the tick marks: `day` is a midnight. Of the ticks between two midnights, `hour` and `fine` take turns; a
   * `fine` one shows its time only where there is space.
   */
  readonly kind: "day" | "hour" | "fine";
}

const TICK_STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 12 * HOUR];
const TICKS_MAX = 18;

/** Returns ticks at the midnights of the zone, and at as many times between them as can be read. */
export function ticksOf(span: Span, timezone: string): Tick[] {
  const step = TICK_STEPS.find((one) => (span.to - span.from) / one <= TICKS_MAX) ?? 12 * HOUR;
  return offsetPeriodsOf(span, timezone).flatMap(({ offset, from, until }) => {
    const [first, end] = [Math.max(from, span.from) + offset, Math.min(until, span.to + 1) + offset];
    const ticks: Tick[] = [];
    for (let wall = Math.ceil(first / step) * step; wall < end; wall += step)
      ticks.push({ at: wall - offset, kind: wall % DAY === 0 ? "day" : wall % (2 * step) === 0 ? "hour" : "fine" });
    return ticks;
  });
}

export interface ClockChange {
  readonly at: Instant;
  /** How far the clocks are ahead of UTC just before the change, and just after it, in milliseconds. */
  readonly before: number;
  readonly after: number;
  /** The zones in which clocks make this change. */
  readonly zones: readonly string[];
}

export function dayClockChanges(span: Span, zones: Iterable<string>): ClockChange[] {
  const changes = new Map<string, ClockChange>();
  for (const zone of new Set(zones)) {
    let before: OffsetPeriod | null = null;
    for (const period of offsetPeriodsOf(span, zone)) {
      if (before !== null && before.offset !== period.offset) {
        const name = `${period.from} ${before.offset} ${period.offset}`;
        const known = changes.get(name)?.zones ?? [];
        const change = { at: period.from, before: before.offset, after: period.offset };
        changes.set(name, { ...change, zones: [...known, zone] });
      }
      before = period;
    }
  }
  return [...changes.values()].sort((a, b) => a.at - b.at);
}

function offsetPeriodsOf({ from, to }: Span, timezone: string): OffsetPeriod[] {
  const periods: OffsetPeriod[] = [];
  for (let at = from; at <= to; ) {
    const period = offsetPeriodAt(timezone, at);
    periods.push(period);
    at = period.until;
  }
  return periods;
}

// Writes times in the viewer's zone, as short as possible.

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export type ClockWords = ReturnType<typeof axisClockWords>;

export function axisClockWords(timezone: string, now: Instant) {
  const wall = (at: Instant): number => at + offsetPeriodAt(timezone, at).offset;
  const today = Math.floor(wall(now) / DAY);
  const time = (at: Instant): string => toIso(wall(at)).slice(11, at % MINUTE < 1_000 ? 16 : 19);
  const weekday = (at: Instant): string => WEEKDAYS[new Date(wall(at)).getUTCDay()]!;
  const dateOf = (at: Instant): string => {
    const date = new Date(wall(at));
    return `${weekday(at)} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  };
  const moment = (at: Instant): string => {
    const days = Math.abs(Math.floor(wall(at) / DAY) - today);
    return days === 0 ? time(at) : `${days < WEEKDAYS.length ? weekday(at) : dateOf(at)} ${time(at)}`;
  };
  return {
    now,
    /** Writes a time: `02:00`, with seconds when they are not zero. */
    time,
    /**
     * Writes a time with its weekday: `Tue 02:00`. A time of today has no weekday, and one that is a week away or more
     * has its date, too.
     */
    moment,
    /** Writes a span: `02:00 to 06:00` or `Mon 22:00 to 06:00`. */
    between: ({ from, to }: Span): string => {
      const isOneDay = Math.floor(wall(from) / DAY) === Math.floor(wall(to) / DAY);
      return `${moment(from)} to ${isOneDay ? time(to) : moment(to)}`;
    },
    /** Writes a date: `Wed 4 Mar`. */
    day: dateOf,
  };
}
