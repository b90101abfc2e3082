// Reads the calendar events of a systemd timer (OnCalendar=, see systemd.time(7)) and writes them as a five-field
// schedule, or says why there is none. Seconds are dropped: the slot is the minute of the event.

import { ascendingOnce, type CronTimes, fiveFieldsOf, type ReadSchedule } from "./cron-schedule.ts";
import { FIELD_RULES, type FieldRule } from "./schedule-field.ts";
import { spellTimezone } from "./zone.ts";

export interface CalendarEvent {
  readonly read: ReadSchedule;
  /** The time zone that the event names; `null` when it names none and so means the machine's zone. */
  readonly timezone: string | null;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["minutely", "*-*-* *:*:00"],
  ["hourly", "*-*-* *:00:00"],
  ["daily", "*-*-* 00:00:00"],
  ["monthly", "*-*-01 00:00:00"],
  ["weekly", "Mon *-*-* 00:00:00"],
  ["yearly", "*-01-01 00:00:00"],
  ["annually", "*-01-01 00:00:00"],
  ["quarterly", "*-01,04,07,10-01 00:00:00"],
  ["semiannually", "*-01,07-01 00:00:00"],
]);

const [, MINUTE, HOUR, DAY, MONTH] = FIELD_RULES as readonly [FieldRule, FieldRule, FieldRule, FieldRule, FieldRule];
const SECOND: FieldRule = { name: "second", min: 0, max: 59, names: [] };
/** The weekdays as systemd orders them: Monday first, so Sunday has the index 6. Schedules count Sunday as 0. */
const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** Reads all OnCalendar= lines of a timer. Several become one schedule only if they differ in a single field. */
export function readCalendar(texts: readonly string[]): CalendarEvent {
  const events = texts.map(readEvent);
  const fault = events.find((event) => "why" in event);
  if (fault !== undefined && "why" in fault) return { read: { why: fault.why, broken: false }, timezone: null };
  const sound = events as readonly Sound[];
  const zones = new Set(sound.map(({ timezone }) => timezone));
  const merged = sound
    .map(({ times }) => times)
    .reduce<CronTimes | null>((one, other) => (one === null ? null : union(one, other)), sound[0]!.times);
  if (zones.size > 1 || merged === null)
    return {
      read: { why: `its ${texts.length} OnCalendar= together are no single schedule`, broken: false },
      timezone: null,
    };
  return { read: fiveFieldsOf(merged), timezone: sound[0]!.timezone };
}

type Sound = Readonly<{ times: CronTimes; timezone: string | null }>;

function readEvent(text: string): Sound | { readonly why: string } {
  const words = (NAMED.get(text.toLowerCase()) ?? text).split(/\s+/);
  const last = words.at(-1)!;
  const zone = words.length > 1 && /^(?:UTC|[A-Za-z_]+\/[\w/+-]+)$/.test(last) ? words.pop()! : null;
  if (text.includes("%")) return { why: `OnCalendar=${text} has a specifier, which only systemd can fill in` };
  if (zone !== null && spellTimezone(zone) === null) return { why: `OnCalendar=${text} names an unknown zone` };
  const expanded = NAMED.get(words.join(" ").toLowerCase())?.split(" ") ?? words;
  const weekdayWord = /^[A-Za-z]/.test(expanded[0] ?? "") ? expanded.shift()! : null;
  const time = expanded.at(-1)?.includes(":") ? expanded.pop()! : "00:00:00";
  const date = expanded.shift() ?? "*-*-*";
  const weekdays = weekdayWord === null ? [0, 1, 2, 3, 4, 5, 6] : readWeekdays(weekdayWord);
  if (weekdays === null || expanded.length > 0) return { why: `OnCalendar=${text} is not understood` };
  return readParts(text, weekdays, date, time, zone === null ? null : spellTimezone(zone));
}

function readParts(
  text: string,
  weekdays: number[],
  date: string,
  time: string,
  timezone: string | null,
): Sound | { readonly why: string } {
  if (date.includes("~"))
    return { why: `OnCalendar=${text} counts days from the end of the month, which no schedule says` };
  const dates = date.split("-");
  const [month, day] = dates.slice(-2);
  const year = dates.length === 3 ? dates[0]! : "*";
  if (dates.length < 2 || dates.length > 3) return { why: `OnCalendar=${text} is not understood` };
  if (year !== "*") return { why: `OnCalendar=${text} names a year, which no schedule says` };
  const [hour, minute, second = "00"] = time.split(":");
  const seconds = readPart(second, SECOND);
  const sets = [readPart(minute!, MINUTE), readPart(hour!, HOUR), readPart(day!, DAY), readPart(month!, MONTH)];
  if (seconds === null || sets.some((set) => set === null)) return { why: `OnCalendar=${text} is not understood` };
  if (seconds.length > 1)
    return { why: `OnCalendar=${text} is due several times a minute, and a schedule once at most` };
  const [minutes, hours, daysOfMonth, months] = sets as [number[], number[], number[], number[]];
  return { times: { minutes, hours, daysOfMonth, months, weekdays, bothDays: true }, timezone };
}

/** Reads weekdays such as `Mon..Fri` or `Sat,Sunday`, and counts Sunday as 0; `null` when they are not understood. */
function readWeekdays(text: string): number[] | null {
  const days: number[] = [];
  for (const item of text.split(",").filter((one) => one !== "")) {
    const [from, to, ...more] = item.split(/\.\.|-/).map((name) => WEEKDAYS.indexOf(name.slice(0, 3).toLowerCase()));
    const end = to ?? from!;
    const isRange = /^[A-Za-z]{3,9}(?:(?:\.\.|-)[A-Za-z]{3,9})?$/.test(item);
    if (more.length > 0 || from! < 0 || end < from! || !isRange) return null;
    for (let day = from!; day <= end; day++) days.push((day + 1) % 7);
  }
  return ascendingOnce(days);
}

/** Reads a part such as the hours: values, ranges (`1..5`) or `*`, each with an optional step; or returns `null`. */
function readPart(text: string, { min, max }: FieldRule): number[] | null {
  const values: number[] = [];
  for (const item of text.split(",")) {
    const [, from, to, step] = /^(?:\*|(\d+)(?:\.\.(\d+))?)(?:\/(\d+))?$/.exec(item) ?? [];
    if (from === undefined && !/^\*(?:\/\d+)?$/.test(item)) return null;
    const low = from === undefined ? min : Number(from);
    const high = to !== undefined ? Number(to) : from === undefined || step !== undefined ? max : low;
    const by = Number(step ?? 1);
    // systemd refuses a range that does not ascend, and a step that leads to no second value.
    if (low < min || high > max || low > high || by < 1) return null;
    if (to !== undefined ? low === high : step !== undefined && from !== undefined && low + by > max) return null;
    for (let value = low; value <= high; value += by) values.push(value);
  }
  return ascendingOnce(values);
}

/**
 * Joins two events into one that is due whenever either of them is. `null` when they differ in several fields: for
 * example, `Mon 01:00` joined with `Tue 02:00` would also be due on Monday at 02:00.
 */
function union(one: CronTimes, other: CronTimes): CronTimes | null {
  const fields = ["minutes", "hours", "daysOfMonth", "months", "weekdays"] as const;
  const different = fields.filter((field) => one[field].join() !== other[field].join());
  const [field] = different;
  if (field === undefined) return one;
  return different.length > 1 ? null : { ...one, [field]: ascendingOnce([...one[field], ...other[field]]) };
}
