// Reads the schedule of a crontab line as sets of values. Writes such sets, also those of a systemd timer, as five
// fields that mean the same times to rollcall. When no five fields do, it says why.

import { problemOf } from "../errors.ts";
import { quote } from "../text.ts";
import { checkSchedule, parseFields } from "./schedule.ts";
import { FIELD_RULES, type FieldRule } from "./schedule-field.ts";

/** A schedule of five fields, or `why` there is none. `broken` is true when cron itself refuses the text. */
export type ReadSchedule = { readonly schedule: string } | { readonly why: string; readonly broken: boolean };

export interface CronTimes {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  /** The days of the week as numbers; 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** True when a day must match the day of month and the weekday; false when one of the two is enough. */
  readonly bothDays: boolean;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const [, MINUTE, HOUR, DAY, MONTH, WEEKDAY] = FIELD_RULES as readonly [
  FieldRule,
  FieldRule,
  FieldRule,
  FieldRule,
  FieldRule,
  FieldRule,
];

/** A crontab accepts 0 and 7 for Sunday; rollcall's own schedules accept only 0. */
const CRON_WEEKDAY: FieldRule = { ...WEEKDAY, max: 7 };

/** Reads the schedule of a crontab line: five fields, or a name such as `@daily`. */
export function readCronSchedule(text: string): ReadSchedule {
  if (text === "@reboot") return no("it runs when the machine starts, so no time says when a report is due");
  const words = (NAMED.get(text) ?? text).split(/[ \t]+/);
  if (words.length !== 5) return { why: `cron knows no ${quote(text)}`, broken: true };
  const random = words.find((word) => word.includes("~"));
  if (random !== undefined) return no(`cron chooses a time by chance in ${quote(random)}, so none is known before`);
  const sets: number[][] = [];
  for (const [place, rule] of [MINUTE, HOUR, DAY, MONTH, CRON_WEEKDAY].entries()) {
    const set = readCronField(words[place]!, rule);
    if (typeof set === "string")
      return { why: `cron refuses ${rule.name} ${quote(words[place]!)}: ${set}`, broken: true };
    if (set.length === 0) return no(`it never runs, because ${rule.name} ${quote(words[place]!)} runs backwards`);
    sets.push(set);
  }
  const [minutes, hours, daysOfMonth, months, weekdays] = sets as [number[], number[], number[], number[], number[]];
  const meant: CronTimes = {
    minutes,
    hours,
    daysOfMonth,
    months,
    weekdays: ascendingOnce(weekdays.map((day) => day % 7)),
    bothDays: words[2]!.startsWith("*") || words[4]!.startsWith("*"),
  };
  const same = words.join(" ");
  return checkSchedule(same, "five") === null && meansSame(same, meant) ? { schedule: same } : fiveFieldsOf(meant);
}

function readCronField(text: string, rule: FieldRule): number[] | string {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const [, from, to, step] = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item) ?? [];
    if (from === undefined && !item.startsWith("*")) return `${quote(item)} is no value and no range`;
    if (from !== undefined && to === undefined && step !== undefined) return "a step follows a range";
    const low = from === undefined ? rule.min : fieldNumber(from, rule);
    const high = from === undefined ? rule.max : to === undefined ? low : fieldNumber(to, rule);
    const by = Number(step ?? 1);
    if (low === null || high === null) return `${quote(item)} is outside ${rule.min}-${rule.max}`;
    if (!(by > 0)) return "a step is 1 or more";
    // Cron accepts a range such as `5-3`, and it means no value.
    for (let value = low; value <= high; value += by) values.push(value);
  }
  return ascendingOnce(values);
}

function fieldNumber(text: string, { names, min, max }: FieldRule): number | null {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? min + named : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

export function fiveFieldsOf(meant: CronTimes): ReadSchedule {
  const days = spellDays(meant);
  if (days === null)
    return no(
      "it needs both a day of the month and a weekday, and five fields can say that only of days with the 1st or a Sunday among them",
    );
  const schedule = [
    spell(meant.minutes, MINUTE),
    spell(meant.hours, HOUR),
    days[0],
    spell(meant.months, MONTH),
    days[1],
  ].join(" ");
  const fault = checkSchedule(schedule, "five");
  if (fault !== null) return no(problemOf(fault));
  if (!meansSame(schedule, meant)) throw new Error(`${schedule} does not mean what was read`);
  return { schedule };
}

/** Writes the fields for day of month and weekday. `null` when no two fields match the same days. */
function spellDays({ daysOfMonth, weekdays, bothDays }: CronTimes): readonly [string, string] | null {
  const anyDay = isWhole(daysOfMonth, DAY);
  const anyWeekday = isWhole(weekdays, WEEKDAY);
  if (!bothDays && (anyDay || anyWeekday)) return ["*", "*"];
  if (anyDay || anyWeekday || !bothDays)
    return [spell(daysOfMonth, DAY), spell(weekdays, WEEKDAY)].map(unstarred(bothDays)) as never;
  // A day must match both fields. Cron demands both only if a field begins with `*`. `*/31` begins with `*` and means
  // only the 1st; `*/7` means only Sunday. So the days 1 and 15 are written as `*/31,15`.
  if (daysOfMonth[0] === DAY.min) return [starred(daysOfMonth, DAY), listedValues(weekdays)];
  if (weekdays[0] === WEEKDAY.min) return [listedValues(daysOfMonth), starred(weekdays, WEEKDAY)];
  return null;
}

/**
 * Writes a star with a step as a list of values, if a day need match only one of the two day fields. For example every
 * tenth day becomes `1,11,21,31`. A field that begins with a star would demand that the day matches both.
 */
const unstarred =
  (bothDays: boolean) =>
  (field: string, place: number): string =>
    bothDays || !field.startsWith("*/")
      ? field
      : listedValues(readCronField(field, place === 0 ? DAY : WEEKDAY) as number[]);

function starred(values: readonly number[], rule: FieldRule): string {
  const first = `*/${rule.max - rule.min + 1}`;
  return values.length === 1 ? first : `${first},${listedValues(values.slice(1))}`;
}

const isWhole = (values: readonly number[], { min, max }: FieldRule): boolean => values.length === max - min + 1;

function spell(values: readonly number[], rule: FieldRule): string {
  if (isWhole(values, rule)) return "*";
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const stepped = values.length > 2 && step > 1 && values[0] === rule.min && values.at(-1)! + step > rule.max;
  return stepped && values.every((value, place) => value === rule.min + place * step)
    ? `*/${step}`
    : listedValues(values);
}

function listedValues(values: readonly number[]): string {
  const items: string[] = [];
  for (let place = 0; place < values.length; ) {
    let end = place;
    while (values[end + 1] === values[end]! + 1) end++;
    if (end - place < 2) end = place;
    items.push(end === place ? `${values[place]}` : `${values[place]}-${values[end]}`);
    place = end + 1;
  }
  return items.join(",");
}

function meansSame(schedule: string, meant: CronTimes): boolean {
  const read = parseFields(schedule);
  const either = read.dayOfMonthRestricted && read.weekdayRestricted;
  return (
    equal(read.minutes, meant.minutes) &&
    equal(read.hours, meant.hours) &&
    equal(read.months, meant.months) &&
    sameDays(meant, { daysOfMonth: read.daysOfMonth, weekdays: read.weekdays, bothDays: !either })
  );
}

type Days = Pick<CronTimes, "daysOfMonth" | "weekdays" | "bothDays">;

/** Whether two pairs of day fields are due on the same days, whichever weekday a date falls on. */
function sameDays(one: Days, other: Days): boolean {
  const isDue = ({ daysOfMonth, weekdays, bothDays }: Days, day: number, weekday: number): boolean => {
    const [isDay, isWeekday] = [daysOfMonth.includes(day), weekdays.includes(weekday)];
    return bothDays ? isDay && isWeekday : isDay || isWeekday;
  };
  for (let day = DAY.min; day <= DAY.max; day++)
    for (let weekday = WEEKDAY.min; weekday <= WEEKDAY.max; weekday++)
      if (isDue(one, day, weekday) !== isDue(other, day, weekday)) return false;
  return true;
}

const equal = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, place) => value === other[place]);

export const ascendingOnce = (values: readonly number[]): number[] =>
  [...new Set(values)].sort((one, other) => one - other);

const no = (why: string): ReadSchedule => ({ why, broken: false });
