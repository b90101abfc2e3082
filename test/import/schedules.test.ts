// Schedules of other services: what is taken must be due at the same instants, and the rest says why.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { nextSlot } from "../../src/domain/schedule/slots.ts";
import { MINUTE } from "../../src/domain/time.ts";
import {
  everySeconds,
  importedZone,
  readCron,
  readOnCalendar,
  spokenIntervalSeconds,
} from "../../src/import/schedules.ts";
import { propertyRuns } from "../support/property-runs.ts";

test.each([
  ["15 5 * * *", "15 5 * * *"],
  ["0 7 * * 7", "0 7 * * 0"],
  ["0 7 * * SUN", "0 7 * * SUN"],
  ["5/15 * * * *", "5-59/15 * * * *"],
  ["0 0 10/7 * *", "0 0 10-31/7 * *"],
  ["0 0 13 * 5", "0 0 13 * 5"],
])("cron %s is %s", (said, schedule) => expect(readCron(said)).toEqual({ kind: "schedule", schedule }));

test.each([
  ["0 3 L * *", "end of the month (L)"],
  ["0 3 LW * *", "end of the month (L)"],
  ["0 3 * * 5L", "end of the month (L)"],
  ["0 3 * * FRIL", "end of the month (L)"],
  ["0 3 * * 2#2", "a certain weekday of the month (#)"],
  ["30 0 3 * * *", "six fields"],
  ["61 0 * * *", '"61" is outside 0-59'],
  ["0 0 30 2 *", "never comes true"],
])("cron %s is refused", (said, why) =>
  expect(readCron(said)).toMatchObject({ kind: "refused", why: expect.stringContaining(why) }),
);

/**
 * Whether cronsim is due at this minute of UTC, read again from its description: 7 is Sunday, a single value may have a
 * step.
 */
function isDue(text: string, at: number): boolean {
  const fields = text.split(" ");
  const is = (place: number, value: number, most: number): boolean =>
    fields[place]!.split(",").some((item) => {
      const [span = "", step] = item.split("/");
      const [low = 0, high] = span === "*" ? [place === 2 || place === 3 ? 1 : 0, most] : span.split("-").map(Number);
      const last = high ?? (step === undefined ? low : most);
      return value >= low && value <= last && (value - low) % Number(step ?? 1) === 0;
    });
  const time = new Date(at);
  const isDay = is(2, time.getUTCDate(), 31);
  const isWeekday = is(4, time.getUTCDay(), 7) || (time.getUTCDay() === 0 && is(4, 7, 7));
  const isBoth = fields[2]!.startsWith("*") || fields[4]!.startsWith("*");
  return (
    is(0, time.getUTCMinutes(), 59) &&
    is(1, time.getUTCHours(), 23) &&
    is(3, time.getUTCMonth() + 1, 12) &&
    (isBoth ? isDay && isWeekday : isDay || isWeekday)
  );
}

const field = (least: number, most: number) => {
  const value = fc.integer({ min: least, max: most });
  const range = fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`);
  const step = fc
    .tuple(fc.oneof(fc.constant("*"), range, value.map(String)), fc.integer({ min: 1, max: most }))
    .map((one) => one.join("/"));
  const item = fc.oneof({ weight: 3, arbitrary: fc.constant("*") }, value.map(String), range, step);
  return fc.array(item, { minLength: 1, maxLength: 2 }).map((items) => items.join(","));
};

test("every cron schedule that is taken has the same next instants", () => {
  const schedules = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7));
  const starts = fc.integer({ min: 0, max: 4 * 366 * 1_440 }).map((minutes) => Date.UTC(2026, 0, 1) + minutes * MINUTE);
  let taken = 0;
  fc.assert(
    fc.property(schedules, starts, (fields, start) => {
      const text = fields.join(" ");
      const read = readCron(text);
      if (read.kind !== "schedule")
        return expect(read).toMatchObject({ why: expect.stringMatching(/never comes true/) });
      taken++;
      const end = start + 2_880 * MINUTE;
      const next = (from: number): number => nextSlot(read.schedule, "UTC", from) ?? Number.POSITIVE_INFINITY;
      const ours: number[] = [];
      for (let slot = next(start); slot <= end; slot = next(slot)) ours.push(slot);
      const theirs: number[] = [];
      for (let at = start + MINUTE; at <= end; at += MINUTE) if (isDue(text, at)) theirs.push(at);
      expect([text, ours]).toEqual([text, theirs]);
    }),
    propertyRuns(300),
  );
  expect(taken).toBeGreaterThan(200);
});

test("calendar events are read as discovery reads them; several lines are one schedule where they can be", () => {
  expect(readOnCalendar("Mon..Fri 09:30\n")).toEqual({
    timing: { kind: "schedule", schedule: "30 9 * * 1-5" },
    timezone: null,
  });
  expect(readOnCalendar("08:00 Europe/Riga\n 20:00 Europe/Riga")).toEqual({
    timing: { kind: "schedule", schedule: "0 8,20 * * *" },
    timezone: "Europe/Riga",
  });
  expect(readOnCalendar("08:00\n20:30").timing).toMatchObject({ kind: "refused" });
  expect(readOnCalendar("*-*~01 00:00").timing).toMatchObject({ kind: "refused" });
});

test("intervals are taken within the bounds of an interval, and the refusal names them", () => {
  expect(everySeconds(90_000)).toEqual({ kind: "every", seconds: 90_000 });
  expect(everySeconds(5)).toEqual({ kind: "refused", why: "its interval of 5s is not between 10s and 366d" });
  expect(everySeconds(400 * 86_400)).toMatchObject({ kind: "refused" });
});

test.each([
  ["5 minutes", 300],
  ["1 min", 60],
  ["90s", 90],
  ["hour", 3_600],
  ["1.5 hours", 5_400],
  ["2 weeks", 1_209_600],
  ["fortnight", null],
  ["5", null],
  ["", null],
])("%s is %p seconds", (text, seconds) => expect(spokenIntervalSeconds(text)).toBe(seconds));

test("a zone has its one spelling, and an unknown one none", () => {
  expect([importedZone("europe/berlin"), importedZone("Europe/Nowhere"), importedZone("")]).toEqual([
    "Europe/Berlin",
    null,
    null,
  ]);
});
