// When reports of a job are expected: at the times of a cron expression (`schedule`), or at least once in an interval
// (`every`, R44). This is the only file that computes slots for both. Pure.

import { HOUR, type Instant, SECOND } from "../time.ts";
import { parseFields } from "./schedule.ts";
import { countSlots, isSameSchedule, nextSlot } from "./slots.ts";

/**
 * The settings that say when a job is due, which are its slots. At most one of `schedule` and `everySeconds` is set;
 * without either there are no slots. `everySeconds` is absent in alerts that an earlier version stored.
 */
export type Rhythm = Readonly<{ schedule: string | null; timezone: string; everySeconds?: number | null }>;

export const hasSlots = (rhythm: Omit<Rhythm, "timezone">): boolean =>
  rhythm.schedule !== null || rhythm.everySeconds != null;

/** The interval in milliseconds; `null` when the monitor has a schedule, or neither. */
export const intervalOfRhythm = ({ everySeconds }: Rhythm): number | null =>
  everySeconds == null ? null : everySeconds * SECOND;

/**
 * The first slot after `from`, when the job is watched from `from` on; `null` when there is none. The slot of an
 * interval is one interval later.
 */
export function firstSlot(rhythm: Rhythm, from: Instant): Instant | null {
  const interval = intervalOfRhythm(rhythm);
  if (interval !== null) return from + interval;
  return rhythm.schedule === null ? null : nextSlot(rhythm.schedule, rhythm.timezone, from);
}

/**
 * The first slot after `after`; `null` when there is none. For an interval, `known` is any of its slots, and the other
 * slots lie whole intervals away from it.
 */
export function rhythmSlotAfter(rhythm: Rhythm, after: Instant, known: Instant | null): Instant | null {
  const interval = intervalOfRhythm(rhythm);
  if (interval === null || known === null) return firstSlot(rhythm, after);
  return known + (Math.floor((after - known) / interval) + 1) * interval;
}

/** How many slots lie after `after` and up to `until`. For an interval, `known` is any of its slots. */
export function countRhythmSlots(rhythm: Rhythm, after: Instant, until: Instant, known: Instant | null): number {
  if (until <= after) return 0;
  const interval = intervalOfRhythm(rhythm);
  if (interval === null) {
    return rhythm.schedule === null ? 0 : countSlots(rhythm.schedule, rhythm.timezone, after, until);
  }
  if (known === null) return 0;
  return Math.floor((until - known) / interval) - Math.floor((after - known) / interval);
}

/**
 * How many slots can be in a minute or an hour (`span`, in milliseconds). With an interval it is at least 1, because
 * its job may report at any time.
 */
export function mostSlotsIn(rhythm: Omit<Rhythm, "timezone">, span: number): number {
  if (rhythm.everySeconds != null) return Math.ceil(span / (rhythm.everySeconds * SECOND));
  if (rhythm.schedule === null) return 0;
  const { seconds, minutes } = parseFields(rhythm.schedule);
  return span < HOUR ? seconds.length : seconds.length * minutes.length;
}

/** Whether both have the same slots: equal intervals, or schedules with the same fields in the same zone (R12). */
export const isSameRhythm = (one: Rhythm, other: Rhythm): boolean =>
  intervalOfRhythm(one) === intervalOfRhythm(other) && (intervalOfRhythm(one) !== null || isSameSchedule(one, other));
