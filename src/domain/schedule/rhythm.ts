// When a job is expected: at the slots of a cron expression, or at least once per interval (R44). This is the only
// place that computes the next slot for both. Pure.

import { HOUR, type Instant, SECOND } from "../time.ts";
import { parseFields } from "./schedule.ts";
import { countSlots, isSameSchedule, nextSlot } from "./slots.ts";

/**
 * The settings that determine the slots; at most one of `schedule` and `everySeconds` is set. Without either there are
 * no slots. Alerts that an earlier version stored lack `everySeconds`.
 */
export type Rhythm = Readonly<{ schedule: string | null; timezone: string; everySeconds?: number | null }>;

export const hasSlots = (rhythm: Omit<Rhythm, "timezone">): boolean =>
  rhythm.schedule !== null || rhythm.everySeconds != null;

/** The interval in milliseconds; `null` when the slots come from a schedule or there are none. */
export const intervalOf = ({ everySeconds }: Rhythm): number | null =>
  everySeconds == null ? null : everySeconds * SECOND;

/** The first slot when waiting begins at `from`; `null` when there is none. An interval counts from `from`. */
export function firstSlot(rhythm: Rhythm, from: Instant): Instant | null {
  const interval = intervalOf(rhythm);
  if (interval !== null) return from + interval;
  return rhythm.schedule === null ? null : nextSlot(rhythm.schedule, rhythm.timezone, from);
}

/**
 * The first slot strictly after `after`. `known` is any slot of an interval; its other slots lie whole intervals away.
 */
export function rhythmSlotAfter(rhythm: Rhythm, after: Instant, known: Instant | null): Instant | null {
  const interval = intervalOf(rhythm);
  if (interval === null || known === null) return firstSlot(rhythm, after);
  return known + (Math.floor((after - known) / interval) + 1) * interval;
}

/** How many slots lie in (after, until]. `known` is any slot of an interval. */
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
 * The largest number of slots in any minute or in any hour, as `span` says. An interval is the longest time that may
 * pass, so there is at least one.
 */
export function mostSlotsIn(rhythm: Omit<Rhythm, "timezone">, span: number): number {
  if (rhythm.everySeconds != null) return Math.ceil(span / (rhythm.everySeconds * SECOND));
  if (rhythm.schedule === null) return 0;
  const { seconds, minutes } = parseFields(rhythm.schedule);
  return span < HOUR ? seconds.length : seconds.length * minutes.length;
}

/** Whether both mean the same slots: the same interval, or the same fields in the same zone (R12). */
export const isSameRhythm = (one: Rhythm, other: Rhythm): boolean =>
  intervalOf(one) === intervalOf(other) && (intervalOf(one) !== null || isSameSchedule(one, other));
