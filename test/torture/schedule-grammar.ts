// Reads schedules and finds their next slot, written from docs/contract.md and docs/decisions.md (R15, R16) alone, a
// letter at a time. It must not import anything of the product, nor be mended after its code.

/** Version 1 takes five fields; the aliases also six with seconds first, and short forms. */
export type Dialect = "five" | "alias";

/** The values of one field: whether it has the value n stands at n. */
type Values = readonly boolean[];

export interface Reading {
  readonly seconds: Values;
  readonly minutes: Values;
  readonly hours: Values;
  readonly daysOfMonth: Values;
  readonly months: Values;
  /** Sunday is 0. */
  readonly weekdays: Values;
  /** Either of day of month and weekday is enough; else both must match. */
  readonly eitherDay: boolean;
}

interface Range {
  readonly least: number;
  readonly most: number;
  /** For the values from `least` on. */
  readonly names: readonly string[];
}

const SECOND: Range = { least: 0, most: 59, names: [] };
const MINUTE: Range = { least: 0, most: 59, names: [] };
const HOUR: Range = { least: 0, most: 23, names: [] };
const DAY_OF_MONTH: Range = { least: 1, most: 31, names: [] };
const MONTH: Range = {
  least: 1,
  most: 12,
  names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAY: Range = { least: 0, most: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

const SHORT_FORMS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** What a schedule means; null: it is refused. That it may be too long is not the grammar's affair. */
export function readSchedule(text: string, dialect: Dialect): Reading | null {
  const words = wordsOf(text);
  if (dialect === "alias") {
    if (words.length === 6) return readWords(words[0]!, words.slice(1));
    const short = words.length === 1 ? words[0]!.toLowerCase() : "";
    if (Object.hasOwn(SHORT_FORMS, short)) return readWords("0", SHORT_FORMS[short]!.split(" "));
  }
  return words.length === 5 ? readWords("0", words) : null;
}

function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const letter of `${text} `) {
    if (letter !== " " && letter !== "\t") word += letter;
    else if (word !== "") {
      words.push(word);
      word = "";
    }
  }
  return words;
}

function readWords(second: string, [minute, hour, dayOfMonth, month, weekday]: readonly string[]): Reading | null {
  const seconds = readField(second, SECOND);
  const minutes = readField(minute!, MINUTE);
  const hours = readField(hour!, HOUR);
  const daysOfMonth = readField(dayOfMonth!, DAY_OF_MONTH);
  const months = readField(month!, MONTH);
  const weekdays = readField(weekday!, WEEKDAY);
  if (!seconds || !minutes || !hours || !daysOfMonth || !months || !weekdays) return null;
  const eitherDay = isRestricted(dayOfMonth!, daysOfMonth, DAY_OF_MONTH) && isRestricted(weekday!, weekdays, WEEKDAY);
  const reading = { seconds, minutes, hours, daysOfMonth, months, weekdays, eitherDay };
  return comes(reading) ? reading : null;
}

/** Whether a field leaves out any of its values, and does not begin with a star. */
const isRestricted = (word: string, values: Values, { least, most }: Range): boolean =>
  word[0] !== "*" && values.filter((has) => has).length < most - least + 1;

/** A comma list; null: it is none. */
function readField(word: string, { least, most, names }: Range): Values | null {
  const values: boolean[] = new Array(most + 1).fill(false);
  let at = 0;

  function next(letter: string): boolean {
    if (word[at] !== letter) return false;
    at += 1;
    return true;
  }

  /** NaN where there is none. */
  function number(): number {
    const from = at;
    while (at < word.length && word[at]! >= "0" && word[at]! <= "9") at += 1;
    return at === from ? Number.NaN : Number(word.slice(from, at));
  }

  function value(): number {
    const name = names.indexOf(word.slice(at, at + 3).toLowerCase());
    if (name < 0) return number();
    at += 3;
    return least + name;
  }

  /** Marks the values of one `*`, `n` or `n-m`; whether it is one. */
  function item(): boolean {
    const isStar = next("*");
    const low = isStar ? least : value();
    const isRange = !isStar && next("-");
    const high = isStar ? most : isRange ? value() : low;
    const step = (isStar || isRange) && next("/") ? number() : 1;
    // No comparison with NaN holds.
    const isSound = low >= least && low <= high && high <= most && step >= 1 && step <= most - least + 1;
    if (isSound) for (let one = low; one <= high; one += step) values[one] = true;
    return isSound;
  }

  do if (!item()) return null;
  while (next(","));
  return at === word.length ? values : null;
}

/** In 400 years every date falls on every weekday, so only a date that no month has never comes. */
const comes = ({ daysOfMonth, months, eitherDay }: Reading): boolean =>
  eitherDay || LONGEST_MONTHS.some((days, month) => months[month + 1]! && daysOfMonth.indexOf(true) <= days);

/**
 * Times of the clock after this one that match, in their order; a time stands for itself as an instant in UTC.
 * Milliseconds.
 */
function* wallTimes(reading: Reading, after: number): Generator<number> {
  const { seconds, minutes, hours } = reading;
  const from = after - (after % 1_000) + 1_000;
  for (let day = from - (from % DAY); ; day += DAY) {
    if (!isDay(reading, new Date(day))) continue;
    for (let hour = 0; hour < 24; hour += 1) {
      if (!hours[hour] || day + (hour + 1) * 3_600_000 <= from) continue;
      for (let minute = 0; minute < 60; minute += 1) {
        const begin = day + (hour * 60 + minute) * 60_000;
        if (!minutes[minute] || begin + 60_000 <= from) continue;
        for (let second = 0; second < 60; second += 1) {
          if (seconds[second] && begin + second * 1_000 >= from) yield begin + second * 1_000;
        }
      }
    }
  }
}

const DAY = 86_400_000;

function isDay({ daysOfMonth, months, weekdays, eitherDay }: Reading, date: Date): boolean {
  if (!months[date.getUTCMonth() + 1]) return false;
  const byDate = daysOfMonth[date.getUTCDate()]!;
  const byWeekday = weekdays[date.getUTCDay()]!;
  return eitherDay ? byDate || byWeekday : byDate && byWeekday;
}

/**
 * The first slot after an instant (R17): a time that the clock skips is none, and one that comes twice is the first.
 */
export function slotAfter(reading: Reading, timezone: string, after: number): number {
  if (timezone === "UTC") return wallTimes(reading, after).next().value!;
  const shown = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timezone).toPlainDateTime();
  const start = shown.toZonedDateTime("UTC").epochMilliseconds;
  for (const wall of wallTimes(reading, start)) {
    const time = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO("UTC").toPlainDateTime();
    const instant = time.toZonedDateTime(timezone, { disambiguation: "earlier" });
    if (instant.epochMilliseconds > after && instant.toPlainDateTime().equals(time)) return instant.epochMilliseconds;
  }
  throw new Error("it never comes");
}
