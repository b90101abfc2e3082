// The slots of a schedule on a wall clock that no zone disturbs: the next, the one before, how many. croner
// searches; what it is given is written from our own reading of the expression, so our grammar decides.

import { Cron } from "croner";
import { boundedMap } from "../bounded-map.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";
import { parseFields, type ScheduleFields } from "./schedule.ts";
import type { WallTime } from "./zone.ts";

/** A croner object takes about 85 KB: few are kept, by expression, for all zones. */
const crons = boundedMap<Cron>(200);

/** The first slot strictly after this wall time; null when there is none before the year 3000. */
export function wallSlotAfter(schedule: string, wall: WallTime): WallTime | null {
  return cronOf(schedule).nextRun(new Date(wall))?.getTime() ?? null;
}

/** The last slot at or before this wall time; null when there is none within 400 years. */
export function wallSlotAtOrBefore(schedule: string, wall: WallTime): WallTime | null {
  return (
    cronOf(schedule)
      .previousRuns(1, new Date(wall + 1))[0]
      ?.getTime() ?? null
  );
}

/** How many slots lie in [from, until), counted from the fields day by day. */
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

/** Whether two expressions name the same wall times (R12). */
export function haveSameWallSlots(one: string, other: string): boolean {
  if (one === other) return true;
  const [some, others] = [parseFields(one), parseFields(other)];
  return writtenFields(some) === writtenFields(others) && eitherDayIsEnough(some) === eitherDayIsEnough(others);
}

/** R16 for one day, given in days since 1970-01-01, a Thursday. */
function isDueOn(fields: ScheduleFields, day: number): boolean {
  const date = new Date(day * DAY);
  if (!fields.months.includes(date.getUTCMonth() + 1)) return false;
  const byDate = fields.daysOfMonth.includes(date.getUTCDate());
  const byWeekday = fields.weekdays.includes(date.getUTCDay());
  return eitherDayIsEnough(fields) ? byDate || byWeekday : byDate && byWeekday;
}

/** How many slots of a day that is due come before this time of day, in milliseconds. */
function countBefore(fields: ScheduleFields, timeOfDay: number): number {
  const hour = Math.floor(timeOfDay / HOUR);
  const minute = Math.floor((timeOfDay % HOUR) / MINUTE);
  // A slot stands at the beginning of its second, so a second that has begun counts.
  const seconds = fields.seconds.filter((value) => value * SECOND < timeOfDay % MINUTE).length;
  const minutes = fields.minutes.filter((value) => value < minute).length;
  const hours = fields.hours.filter((value) => value < hour).length;

  const inMinute = fields.minutes.includes(minute) ? seconds : 0;
  const inHour = fields.hours.includes(hour) ? minutes * fields.seconds.length + inMinute : 0;
  return hours * fields.minutes.length * fields.seconds.length + inHour;
}

function cronOf(schedule: string): Cron {
  const known = crons.get(schedule);
  if (known !== undefined) return known;
  const fields = parseFields(schedule);
  // A fixed offset of 0 makes croner's own zone arithmetic, ten times slower, unnecessary.
  const cron = new Cron(writtenFields(fields), { mode: "6-part", utcOffset: 0, domAndDow: !eitherDayIsEnough(fields) });
  crons.set(schedule, cron);
  return cron;
}

const writtenFields = (fields: ScheduleFields): string =>
  [
    written(fields.seconds, 60),
    written(fields.minutes, 60),
    written(fields.hours, 24),
    written(fields.daysOfMonth, 31),
    written(fields.months, 12),
    written(fields.weekdays, 7),
  ].join(" ");

const written = (values: readonly number[], width: number): string =>
  values.length === width ? "*" : values.join(",");

const eitherDayIsEnough = (fields: ScheduleFields): boolean => fields.dayOfMonthRestricted && fields.weekdayRestricted;
