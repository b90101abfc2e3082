// The days and minutes of a cron expression, parsed separately for the simulation, because jobs and verdict must not
// use the parser that they check. Five fields; imports nothing from the product.

import { DAY } from "./units.ts";

export interface Crontab {
  readonly expression: string;
  /** Minutes of the day, ascending, at which it is due on a day that matches. */
  readonly minutes: readonly number[];
  /** `day`: days since 1970-01-01. */
  matchesDay(day: number): boolean;
  /** Minute or hour begins with `*`: some schedulers treat these differently when clocks are changed. */
  readonly wild: boolean;
}

export function readCrontab(expression: string): Crontab {
  const [minute, hour, dayOfMonth, month, weekday] = expression.split(" ") as [string, string, string, string, string];
  const hours = valuesOf(hour, 0, 23);
  const minutes = hours.flatMap((at) => valuesOf(minute, 0, 59).map((past) => at * 60 + past));
  const months = new Set(valuesOf(month, 1, 12));
  const dates = new Set(valuesOf(dayOfMonth, 1, 31));
  const weekdays = new Set(valuesOf(weekday, 0, 6));
  const either = !dayOfMonth.startsWith("*") && !weekday.startsWith("*");

  function matchesDay(day: number): boolean {
    const date = new Date(day * DAY);
    if (!months.has(date.getUTCMonth() + 1)) return false;
    const byDate = dates.has(date.getUTCDate());
    const byWeekday = weekdays.has(date.getUTCDay());
    return either ? byDate || byWeekday : byDate && byWeekday;
  }

  return { expression, minutes, matchesDay, wild: minute.startsWith("*") || hour.startsWith("*") };
}

/** `*`, `n`, `n-m`, lists of these, each with an optional step. */
function valuesOf(field: string, min: number, max: number): number[] {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range, step = "1"] = part.split("/") as [string, string?];
    const [first, last = first] = range === "*" ? [String(min), String(max)] : (range.split("-") as [string, string?]);
    for (let value = Number(first); value <= Number(last); value += Number(step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}
