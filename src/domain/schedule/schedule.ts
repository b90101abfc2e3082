// The grammar of schedules (R15, R16): which cron expressions are accepted, why one is refused, and which values its
// fields have. Every schedule passes through here first. Zones and instants are computed elsewhere.

import { isRefusal, type Refusal, refuseField } from "../errors.ts";
import { SCHEDULE_LENGTH } from "../limits.ts";
import { boundedMap } from "../maps.ts";
import { checkLength, quote } from "../text.ts";
import { FIELD_RULES, type FieldValues, readScheduleField } from "./schedule-field.ts";

/**
 * Which expressions are accepted. `five`: five fields, as version 1 of the contract takes them. `alias`: also six
 * fields with the second first, and names such as `@daily`.
 */
export type Dialect = "five" | "alias";

/** The values of each field of a schedule, ascending and each once. Months are 1 to 12; Sunday is 0. */
export interface ScheduleFields {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
  /**
   * False when the hour field begins with `*`, even with a step, or lists all 24 hours (R16). Then reports cannot show
   * that the time zone is wrong.
   */
  readonly hoursRestricted: boolean;
  /** If both day fields are restricted, a day is due when it matches either. Otherwise it must match both (R16). */
  readonly dayOfMonthRestricted: boolean;
  readonly weekdayRestricted: boolean;
}

const SPECIAL = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
]);

const FIVE = "minute, hour, day of month, month, day of week";

const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Checks a cron expression. Returns `null` when it is accepted, otherwise a refusal that names the problem and the
 * rule. The length is checked elsewhere.
 */
export function checkSchedule(expression: string, dialect: Dialect): Refusal | null {
  const words = scheduleWords(expression);
  const first = words[0];
  if (first === undefined) return refuseSchedule(`it is empty, five fields are needed (${FIVE})`);
  if (first.startsWith("@")) {
    const refusal = checkSpecial(words.join(" "), dialect);
    if (refusal !== null) return refusal;
  } else if (words.length !== 5 && !(words.length === 6 && dialect === "alias")) {
    return refuseSchedule(wrongCount(words, dialect));
  }
  const fields = readSchedule(expression);
  return isRefusal(fields) ? fields : null;
}

const parsed = boundedMap<ScheduleFields>(1_000);

/** The fields of an accepted expression, in either dialect. Throws when `checkSchedule` would refuse it. */
export function parseFields(expression: string): ScheduleFields {
  const known = parsed.get(expression);
  if (known !== undefined) return known;
  const fields = readSchedule(expression);
  if (isRefusal(fields)) throw new Error(fields.message);
  parsed.set(expression, fields);
  return fields;
}

function readSchedule(expression: string): ScheduleFields | Refusal {
  const given = scheduleWords(expression);
  const words = scheduleWords(SPECIAL.get(given.join(" ").toLowerCase()) ?? expression);
  if (words.length !== 5 && words.length !== 6) return refuseSchedule(wrongCount(words, "alias"));
  const texts = words.length === 5 ? ["0", ...words] : words;

  const read: FieldValues[] = [];
  for (const [index, rule] of FIELD_RULES.entries()) {
    const text = texts[index]!;
    const field = readScheduleField(text, rule);
    if (typeof field === "string") return refuseSchedule(`${rule.name} field ${aboutField(text, field)}`);
    read.push(field);
  }
  const [seconds, minutes, hours, daysOfMonth, months, weekdays] = read;
  const fields: ScheduleFields = {
    seconds: seconds!.values,
    minutes: minutes!.values,
    hours: hours!.values,
    daysOfMonth: daysOfMonth!.values,
    months: months!.values,
    weekdays: weekdays!.values,
    hoursRestricted: hours!.restricted,
    dayOfMonthRestricted: daysOfMonth!.restricted,
    weekdayRestricted: weekdays!.restricted,
  };
  if (comesTrue(fields)) return fields;
  const days = `day of month ${quote(texts[3]!)} does not occur in month ${quote(texts[4]!)}`;
  return refuseSchedule(`${quote(given.join(" "))} never comes true, ${days}`);
}

/** Puts the field before the problem, unless the problem begins with the quoted field already. */
function aboutField(text: string, problem: string): string {
  const quoted = quote(text);
  return problem.startsWith(quoted) ? problem : `${quoted}: ${problem}`;
}

/**
 * Whether any day is ever due. Every date, even 29 February, falls on every weekday within 400 years. So a schedule has
 * no due day only if none of its months has the day, as with 30 February.
 */
function comesTrue(fields: ScheduleFields): boolean {
  if (fields.dayOfMonthRestricted && fields.weekdayRestricted) return true;
  const earliest = fields.daysOfMonth[0]!;
  return fields.months.some((month) => earliest <= MONTH_LENGTHS[month - 1]!);
}

function checkSpecial(text: string, dialect: Dialect): Refusal | null {
  const meaning = SPECIAL.get(text.toLowerCase());
  if (dialect === "five") {
    const instead = meaning === undefined ? `five fields (${FIVE})` : quote(meaning);
    return refuseSchedule(`${quote(text)} is not taken here, write ${instead}`);
  }
  if (meaning !== undefined) return null;
  return refuseSchedule(`${quote(text)} is not taken, the special strings are ${[...SPECIAL.keys()].join(", ")}`);
}

function wrongCount(words: readonly string[], dialect: Dialect): string {
  const text = quote(words.join(" "));
  if (/^[0-9]{4}-[0-9]{2}/.test(words[0]!)) return `${text} is a date, a schedule is five fields (${FIVE})`;
  const taken =
    dialect === "five" ? `version 1 takes five (${FIVE})` : `five are taken (${FIVE}), or six with the second first`;
  return `${text} has ${words.length === 1 ? "1 field" : `${words.length} fields`}, ${taken}`;
}

/** The expression with one space between its fields. More spaces make no other schedule (R12). */
export const spellSchedule = (expression: string): string => scheduleWords(expression).join(" ");

const scheduleWords = (expression: string): readonly string[] => expression.match(/[^ \t]+/g) ?? [];

const refuseSchedule = (problem: string): Refusal => refuseField("schedule", problem, "INVALID_SCHEDULE");

export const checkScheduleText = (schedule: string, dialect: Dialect): Refusal | null =>
  checkLength("schedule", schedule, SCHEDULE_LENGTH) ?? checkSchedule(schedule, dialect);
