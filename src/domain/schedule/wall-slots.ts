// Computes the slots of a cron expression on a wall clock that never changes. slots.ts adds the time zone.

import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";
import { parseFields, type ScheduleFields } from "./schedule.ts";
import type { WallTime } from "./zone.ts";

/** A day, as its number since 1970-01-01, which was a Thursday. */
type WallDay = number;

/** How many months are searched for a due day. The calendar repeats after 400 years, so later months bring none. */
const CALENDAR_MONTHS = 400 * 12;
const LAST_WALL_TIME: WallTime = Date.UTC(3000, 0, 1) - 1;

/** The first slot after this wall time; `null` when there is none before the year 3000. */
export function wallSlotAfter(schedule: string, wall: WallTime): WallTime | null {
  const fields = parseFields(schedule);
  const earliest = (Math.floor(wall / SECOND) + 1) * SECOND;
  const today = Math.floor(earliest / DAY);
  const time = isDueOn(fields, today) ? timeFrom(fields, earliest - today * DAY) : null;
  if (time !== null) return today * DAY + time;
  const day = dueDay(fields, today + 1, 1);
  if (day === null || day * DAY > LAST_WALL_TIME) return null;
  return day * DAY + timeOf(fields.hours[0]!, fields.minutes[0]!, fields.seconds[0]!);
}

/** The last slot at or before this wall time; `null` when there is none within 400 years. */
export function wallSlotAtOrBefore(schedule: string, wall: WallTime): WallTime | null {
  const fields = parseFields(schedule);
  const today = Math.floor(wall / DAY);
  const time = isDueOn(fields, today) ? timeUntil(fields, wall - today * DAY) : null;
  if (time !== null) return today * DAY + time;
  const day = dueDay(fields, today - 1, -1);
  return day === null ? null : day * DAY + timeOf(fields.hours.at(-1)!, fields.minutes.at(-1)!, fields.seconds.at(-1)!);
}

/** How many slots lie from `from` on and before `until`, both wall times. */
export function countWallSlots(schedule: string, from: WallTime, until: WallTime): number {
  if (from >= until) return 0;
  const fields = parseFields(schedule);
  const perDay = fields.hours.length * fields.minutes.length * fields.seconds.length;
  const firstDay = Math.floor(from / DAY);
  const lastDay = Math.floor(until / DAY);

  let count = 0;
  for (let day = firstDay; day < lastDay; day += 1) if (isDueOn(fields, day)) count += perDay;
  if (isDueOn(fields, firstDay)) count -= countBefore(fields, from - firstDay * DAY);
  if (isDueOn(fields, lastDay)) count += countBefore(fields, until - lastDay * DAY);
  return count;
}

/** Whether two expressions have the same slots, however they are spelled (R12). */
export function haveSameWallSlots(one: string, other: string): boolean {
  if (one === other) return true;
  const [some, others] = [parseFields(one), parseFields(other)];
  return writtenFields(some) === writtenFields(others) && eitherDayIsEnough(some) === eitherDayIsEnough(others);
}

/** The first due day at or after `from` (`step` 1), or the last at or before it (`step` -1); `null` without one. */
function dueDay(fields: ScheduleFields, from: WallDay, step: 1 | -1): WallDay | null {
  const date = new Date(from * DAY);
  const thisMonth = date.getUTCFullYear() * 12 + date.getUTCMonth();
  for (let walked = 0; walked <= CALENDAR_MONTHS; walked += 1) {
    const month = thisMonth + step * walked;
    if (!fields.months.includes((month % 12) + 1)) continue;
    const first = firstDayOf(month);
    const last = firstDayOf(month + 1) - 1;
    const begin = walked === 0 ? from : step === 1 ? first : last;
    for (let day = begin; day >= first && day <= last; day += step) {
      if (isDueIn(fields, day, first)) return day;
    }
  }
  return null;
}

/** The first day of a month. `month` counts months since January of the year 0. */
const firstDayOf = (month: number): WallDay => Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY;

/** Whether the schedule has slots on this day (R16). */
function isDueOn(fields: ScheduleFields, day: WallDay): boolean {
  const date = new Date(day * DAY);
  return fields.months.includes(date.getUTCMonth() + 1) && isDueIn(fields, day, day + 1 - date.getUTCDate());
}

/** Like `isDueOn`, for a day in one of the schedule's months. `first` is the first day of that month. */
function isDueIn(fields: ScheduleFields, day: WallDay, first: WallDay): boolean {
  const byDate = fields.daysOfMonth.includes(day - first + 1);
  const byWeekday = fields.weekdays.includes((((day + 4) % 7) + 7) % 7);
  return eitherDayIsEnough(fields) ? byDate || byWeekday : byDate && byWeekday;
}

/** A time of day, in milliseconds since midnight. */
const timeOf = (hour: number, minute: number, second: number): number =>
  hour * HOUR + minute * MINUTE + second * SECOND;

/**
 * On a day that has slots, the time of the first slot at `time` or later; `null` when none is left. Times are in
 * milliseconds since midnight.
 */
function timeFrom({ hours, minutes, seconds }: ScheduleFields, time: number): number | null {
  const hour = hours.find((value) => timeOf(value, minutes.at(-1)!, seconds.at(-1)!) >= time);
  if (hour === undefined) return null;
  const minute = minutes.find((value) => timeOf(hour, value, seconds.at(-1)!) >= time)!;
  const second = seconds.find((value) => timeOf(hour, minute, value) >= time)!;
  return timeOf(hour, minute, second);
}

/**
 * On a day that has slots, the time of the last slot at `time` or earlier; `null` when none has come. Times are in
 * milliseconds since midnight.
 */
function timeUntil({ hours, minutes, seconds }: ScheduleFields, time: number): number | null {
  const hour = hours.findLast((value) => timeOf(value, minutes[0]!, seconds[0]!) <= time);
  if (hour === undefined) return null;
  const minute = minutes.findLast((value) => timeOf(hour, value, seconds[0]!) <= time)!;
  const second = seconds.findLast((value) => timeOf(hour, minute, value) <= time)!;
  return timeOf(hour, minute, second);
}

/** How many slots of a due day lie before `timeOfDay`, which is in milliseconds since midnight. */
function countBefore(fields: ScheduleFields, timeOfDay: number): number {
  const hour = Math.floor(timeOfDay / HOUR);
  const minute = Math.floor((timeOfDay % HOUR) / MINUTE);
  // A slot lies at the beginning of its second: with `timeOfDay` at 03:00:10.5, the slot of 03:00:10 lies before it.
  const seconds = fields.seconds.filter((value) => value * SECOND < timeOfDay % MINUTE).length;
  const minutes = fields.minutes.filter((value) => value < minute).length;
  const hours = fields.hours.filter((value) => value < hour).length;

  const inMinute = fields.minutes.includes(minute) ? seconds : 0;
  const inHour = fields.hours.includes(hour) ? minutes * fields.seconds.length + inMinute : 0;
  return hours * fields.minutes.length * fields.seconds.length + inHour;
}

const writtenFields = (fields: ScheduleFields): string =>
  [
    writtenField(fields.seconds, 60),
    writtenField(fields.minutes, 60),
    writtenField(fields.hours, 24),
    writtenField(fields.daysOfMonth, 31),
    writtenField(fields.months, 12),
    writtenField(fields.weekdays, 7),
  ].join(" ");

const writtenField = (values: readonly number[], width: number): string =>
  values.length === width ? "*" : values.join(",");

const eitherDayIsEnough = (fields: ScheduleFields): boolean => fields.dayOfMonthRestricted && fields.weekdayRestricted;
