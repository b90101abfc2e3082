// Random schedules together with what they mean, and random instants near a zone's changes, for property tests.
// The meaning is built while the text is written, not read back from it; nothing of the product but types.

import fc from "fast-check";
import type { ScheduleFields } from "../../src/domain/schedule/schedule.ts";

export interface WrittenSchedule {
  readonly expression: string;
  readonly fields: ScheduleFields;
}

export interface Moment {
  readonly timezone: string;
  /** A change of the zone's offset, or any instant where the zone has none to come. */
  readonly change: number;
}

/** Zones whose rules differ in kind: half hours, two hours, whole days, negative summer time, no changes at all. */
export const ZONES = [
  "UTC",
  "America/New_York",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Pacific/Kwajalein",
  "America/Sao_Paulo",
  "America/Caracas",
  "Asia/Kathmandu",
  "Asia/Gaza",
  "Africa/Casablanca",
  "Africa/Cairo",
  "Europe/Dublin",
  "America/St_Johns",
  "Antarctica/Troll",
  "Antarctica/Casey",
  "Etc/GMT-14",
];

interface WrittenField {
  readonly text: string;
  readonly values: readonly number[];
  readonly restricted: boolean;
}

interface WrittenItem {
  readonly text: string;
  readonly values: readonly number[];
}

const MONTH_NAMES = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const WEEKDAY_NAMES = "Sun Mon Tue Wed Thu Fri Sat".split(" ");

const upTo = (low: number, high: number, step: number): number[] => {
  const values: number[] = [];
  for (let value = low; value <= high; value += step) values.push(value);
  return values;
};

function anyItem(min: number, max: number, names?: readonly string[]): fc.Arbitrary<WrittenItem> {
  const write = (value: number): fc.Arbitrary<string> =>
    names === undefined ? fc.constant(String(value)) : fc.constantFrom(String(value), names[value - min]!);
  const value = fc.integer({ min, max }).chain((number) => write(number).map((text) => ({ text, number })));
  const step = fc.integer({ min: 1, max: max - min + 1 });
  const range = fc
    .tuple(value, value)
    .map(([one, other]) => (one.number <= other.number ? [one, other] : [other, one]));
  return fc.oneof(
    { weight: 3, arbitrary: value.map(({ text, number }) => ({ text, values: [number] })) },
    range.map(([low, high]) => ({ text: `${low!.text}-${high!.text}`, values: upTo(low!.number, high!.number, 1) })),
    fc.tuple(range, step).map(([[low, high], by]) => ({
      text: `${low!.text}-${high!.text}/${by}`,
      values: upTo(low!.number, high!.number, by),
    })),
    step.map((by) => ({ text: `*/${by}`, values: upTo(min, max, by) })),
    fc.constant({ text: "*", values: upTo(min, max, 1) }),
  );
}

function anyField(min: number, max: number, stars: number, names?: readonly string[]): fc.Arbitrary<WrittenField> {
  const all = upTo(min, max, 1);
  const list = fc.array(anyItem(min, max, names), { minLength: 1, maxLength: 4 }).map((items) => {
    const values = all.filter((value) => items.some((item) => item.values.includes(value)));
    const text = items.map((item) => item.text).join(",");
    return { text, values, restricted: !text.startsWith("*") && values.length < all.length };
  });
  const whole = fc.constantFrom("*", all.join(",")).map((text) => ({ text, values: all, restricted: false }));
  return fc.oneof({ weight: 3, arbitrary: list }, { weight: stars, arbitrary: whole });
}

/** Any schedule that comes true, in five or in six fields. */
export function anySchedule(fieldCount: 5 | 6): fc.Arbitrary<WrittenSchedule> {
  const seconds =
    fieldCount === 6 ? anyField(0, 59, 1) : fc.constant({ text: "", values: [0], restricted: true } as WrittenField);
  return fc
    .record({
      seconds,
      minutes: anyField(0, 59, 1),
      hours: anyField(0, 23, 6),
      daysOfMonth: anyField(1, 31, 3),
      months: anyField(1, 12, 9, MONTH_NAMES),
      weekdays: anyField(0, 6, 3, WEEKDAY_NAMES),
      space: fc.constantFrom(" ", "  ", "\t"),
    })
    .map(({ seconds, minutes, hours, daysOfMonth, months, weekdays, space }) => ({
      expression: [seconds, minutes, hours, daysOfMonth, months, weekdays]
        .map((field) => field.text)
        .filter((text) => text !== "")
        .join(space),
      fields: {
        seconds: seconds.values,
        minutes: minutes.values,
        hours: hours.values,
        daysOfMonth: daysOfMonth.values,
        months: months.values,
        weekdays: weekdays.values,
        hoursRestricted: hours.restricted,
        dayOfMonthRestricted: daysOfMonth.restricted,
        weekdayRestricted: weekdays.restricted,
      },
    }))
    .filter(({ fields }) => comesTrue(fields));
}

/** Leap day 2000 and every other date of that year: a schedule that matches none of them by date never comes true. */
function comesTrue(fields: ScheduleFields): boolean {
  if (fields.dayOfMonthRestricted && fields.weekdayRestricted) return true;
  return fields.months.some((month) =>
    fields.daysOfMonth.some((day) => day <= new Temporal.PlainYearMonth(2000, month).daysInMonth),
  );
}

/** A zone and one of its changes between 1990 and 2040. */
export const anyMoment: fc.Arbitrary<Moment> = fc
  .record({
    timezone: fc.constantFrom(...ZONES),
    from: fc.integer({ min: Date.UTC(1990, 0, 1) / 60_000, max: Date.UTC(2040, 0, 1) / 60_000 }),
  })
  .map(({ timezone, from }) => {
    const start = Temporal.Instant.fromEpochMilliseconds(from * 60_000).toZonedDateTimeISO(timezone);
    const change = start.getTimeZoneTransition("next") ?? start.getTimeZoneTransition("previous") ?? start;
    return { timezone, change: change.epochMilliseconds };
  });
