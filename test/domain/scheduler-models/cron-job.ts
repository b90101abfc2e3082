// A cron expression of five fields, read a second time for the scheduler models: which wall-clock minutes it names, as
// tables to look up. It must import nothing of the product but types.

import type { WallMinute } from "./wall-minutes.ts";

export interface CronJob {
  readonly expression: string;
  /** The minute or the hour field begins with `*`: cron lets such a job follow the clock through a change. */
  readonly wild: boolean;
  /** For each minute of a day whether it is named: 1 or 0. */
  readonly times: Uint8Array;
  /**
   * For each day since FIRST_DAY whether it is named, where a field that lists its whole range says the same as `*`.
   */
  readonly days: Uint8Array;
  /** The same as cron's source has it: only a field that begins with `*` leaves the days to the other one. */
  readonly cronDays: Uint8Array;
}

const DAY_MINUTES = 24 * 60;
/** In days since 1970; the tables hold the years that the models are asked about, and some weeks around them. */
const FIRST_DAY = Date.UTC(1999, 10, 1) / 86_400_000;
const LAST_DAY = Date.UTC(2041, 2, 1) / 86_400_000;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SPECIAL: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
};
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Whether the job is to run when the wall clock shows this minute, within the years of the tables. */
export const isNamed = (job: CronJob, wall: WallMinute): boolean =>
  job.times[wall % DAY_MINUTES] === 1 && job.days[Math.floor(wall / DAY_MINUTES) - FIRST_DAY] === 1;

/** The same in the eyes of cron, which differs only in how it reads the two day fields. */
export const isNamedForCron = (job: CronJob, wall: WallMinute): boolean =>
  job.times[wall % DAY_MINUTES] === 1 && job.cronDays[Math.floor(wall / DAY_MINUTES) - FIRST_DAY] === 1;

/**
 * Reads an expression that is known to be well formed; any other throws or is nonsense. Six fields are read where the
 * second is 0.
 */
export function cronJob(expression: string): CronJob {
  const texts = (SPECIAL[expression] ?? expression).trim().split(/\s+/);
  if (texts.length === 6 && texts[0] === "0") texts.shift();
  if (texts.length !== 5) throw new Error(`not five fields: ${expression}`);
  const [minute, hour, date, month, weekday] = texts as [string, string, string, string, string];
  const dates = valuesOf(date, 1, 31, []);
  const weekdays = valuesOf(weekday, 0, 6, WEEKDAYS);
  const months = valuesOf(month, 1, 12, MONTHS);
  const cronEither = !date.startsWith("*") && !weekday.startsWith("*");
  const either = cronEither && dates.size < 31 && weekdays.size < 7;
  return {
    expression,
    wild: minute.startsWith("*") || hour.startsWith("*"),
    times: timesOf(valuesOf(minute, 0, 59, []), valuesOf(hour, 0, 23, [])),
    days: daysOf(dates, months, weekdays, either),
    cronDays: daysOf(dates, months, weekdays, cronEither),
  };
}

function valuesOf(field: string, min: number, max: number, names: readonly string[]): Set<number> {
  const read = (text: string): number => {
    const name = names.indexOf(text.toLowerCase());
    const value = name < 0 ? Number(text) : min + name;
    if (!(value >= min && value <= max)) throw new Error(`${text} is outside ${min}-${max}`);
    return value;
  };
  const values = new Set<number>();
  for (const item of field.split(",")) {
    const [span, step] = item.split("/") as [string, string?];
    const [low, high] = span === "*" ? [min, max] : span.split("-").map(read);
    for (let value = low!; value <= (high ?? low!); value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function timesOf(minutes: Set<number>, hours: Set<number>): Uint8Array {
  const times = new Uint8Array(DAY_MINUTES);
  for (const hour of hours) for (const minute of minutes) times[hour * 60 + minute] = 1;
  return times;
}

function daysOf(dates: Set<number>, months: Set<number>, weekdays: Set<number>, either: boolean): Uint8Array {
  const days = new Uint8Array(LAST_DAY - FIRST_DAY);
  for (let index = 0; index < days.length; index += 1) {
    const day = new Date((FIRST_DAY + index) * 86_400_000);
    const byDate = dates.has(day.getUTCDate());
    const byWeekday = weekdays.has(day.getUTCDay());
    const named = either ? byDate || byWeekday : byDate && byWeekday;
    days[index] = named && months.has(day.getUTCMonth() + 1) ? 1 : 0;
  }
  return days;
}
