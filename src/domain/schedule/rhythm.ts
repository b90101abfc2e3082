// When a job is expected: at the slots of a cron expression, or at least once in every so often (R44). This is the one
// place that answers for both when the next slot is. Pure.

import { HOUR, type Instant, SECOND } from "../time.ts";
import { parseFields } from "./schedule.ts";
import { countSlots, isSameSchedule, nextSlot } from "./slots.ts";

/**
 * What slots follow from; at most one of `schedule` and `everySeconds` is set. Both null: there are no slots. Alerts
 * that an earlier version stored lack `everySeconds`.
 */
export type Rhythm = Readonly<{ schedule: string | null; timezone: string; everySeconds?: number | null }>;

export const hasSlots = (rhythm: Omit<Rhythm, "timezone">): boolean =>
  rhythm.schedule !== null || rhythm.everySeconds != null;

/** The interval in milliseconds; null: the slots are those of a schedule, or there are none. */
export const intervalOf = ({ everySeconds }: Rhythm): number | null =>
  everySeconds == null ? null : everySeconds * SECOND;

/** The first slot when we begin to wait at `from`; null: there is none. An interval counts from there. */
export function firstSlot(rhythm: Rhythm, from: Instant): Instant | null {
  const interval = intervalOf(rhythm);
  if (interval !== null) return from + interval;
  return rhythm.schedule === null ? null : nextSlot(rhythm.schedule, rhythm.timezone, from);
}

/** The first slot strictly after `after`. `known`: any slot of an interval; its others follow by whole intervals. */
export function rhythmSlotAfter(rhythm: Rhythm, after: Instant, known: Instant | null): Instant | null {
  const interval = intervalOf(rhythm);
  if (interval === null || known === null) return firstSlot(rhythm, after);
  return known + (Math.floor((after - known) / interval) + 1) * interval;
}

/** How many slots lie in (after, until]; `known` as above. */
export function countRhythmSlots(rhythm: Rhythm, after: Instant, until: Instant, known: Instant | null): number {
  if (until <= after) return 0;
  const interval = intervalOf(rhythm);
  if (interval === null) {
    return rhythm.schedule === null ? 0 : countSlots(rhythm.schedule, rhythm.timezone, after, until);
  }
  if (known === null) return 0;
  return Math.floor((until - known) / interval) - Math.floor((after - known) / interval);
}

/**
 * The most slots that any minute, or any hour, has; `span`: one of both. An interval is the longest that may pass, so
 * at least one.
 */
export function mostSlotsIn(rhythm: Omit<Rhythm, "timezone">, span: number): number {
  if (rhythm.everySeconds != null) return Math.ceil(span / (rhythm.everySeconds * SECOND));
  if (rhythm.schedule === null) return 0;
  const { seconds, minutes } = parseFields(rhythm.schedule);
  return span < HOUR ? seconds.length : seconds.length * minutes.length;
}

/** Whether both expect the same: the same interval, or the same fields in one zone (R12). */
export const isSameRhythm = (one: Rhythm, other: Rhythm): boolean =>
  intervalOf(one) === intervalOf(other) && (intervalOf(one) !== null || isSameSchedule(one, other));
