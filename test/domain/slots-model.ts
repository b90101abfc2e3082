// A slow second opinion on slots, for tests: it looks at every minute or second with Temporal and searches nothing.
// It must not import anything of the product but types.

import type { ScheduleFields } from "../../src/domain/schedule/schedule.ts";

/** Every slot in [from, until), found by looking at each multiple of `step` milliseconds. `from` must be one. */
export function modelSlots(
  fields: ScheduleFields,
  timezone: string,
  from: number,
  until: number,
  step: number,
): number[] {
  const slots: number[] = [];
  for (let at = from; at < until; at += step) {
    const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
    if (matchesTime(fields, time) && matchesDay(fields, time) && isFirstTime(time)) slots.push(at);
  }
  return slots;
}

/** The first day after (direction 1) or before (-1) a date that matches, within 400 years, without the day itself. */
export function modelDay(
  fields: ScheduleFields,
  from: Temporal.PlainDate,
  direction: 1 | -1,
): Temporal.PlainDate | null {
  let day = from;
  for (let walked = 0; walked < 400 * 366; walked += 1) {
    day = day.add({ days: direction });
    if (matchesDay(fields, day)) return day;
  }
  return null;
}

function matchesTime(fields: ScheduleFields, time: Temporal.ZonedDateTime): boolean {
  return (
    fields.minutes.includes(time.minute) && fields.hours.includes(time.hour) && fields.seconds.includes(time.second)
  );
}

function matchesDay(fields: ScheduleFields, date: { month: number; day: number; dayOfWeek: number }): boolean {
  const byDate = fields.daysOfMonth.includes(date.day);
  const byWeekday = fields.weekdays.includes(date.dayOfWeek % 7);
  const either = fields.dayOfMonthRestricted && fields.weekdayRestricted;
  return fields.months.includes(date.month) && (either ? byDate || byWeekday : byDate && byWeekday);
}

/** R17: Temporal gives the earlier of two instants that show the same wall time. */
function isFirstTime(time: Temporal.ZonedDateTime): boolean {
  const first = time.toPlainDateTime().toZonedDateTime(time.timeZoneId, { disambiguation: "earlier" });
  return first.epochMilliseconds === time.epochMilliseconds;
}
