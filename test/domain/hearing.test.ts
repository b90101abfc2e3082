// Quiet hours (R38): how they are written, and from when on an alert is told.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { heardFrom, leaveTime, parseQuiet, QUIET_MAX } from "../../src/domain/telling/hearing.ts";
import { DAY, HOUR, MINUTE, toIso } from "../../src/domain/time.ts";

const quiet = (...texts: string[]) => texts.map((text) => parseQuiet(text)!);

const toldAt = (at: string, hours: string[], zone = "Europe/Berlin") =>
  toIso(heardFrom({ quiet: quiet(...hours) }, "error", zone, Date.parse(at)));

test("quiet hours are times of day, on all days or on some", () => {
  expect(parseQuiet("22:00-07:00")).toEqual({ begin: "0 22 * * *", end: "0 7 * * *" });
  expect(parseQuiet("Mon-Fri 20:30 - 6:15")).toEqual({ begin: "30 20 * * 1,2,3,4,5", end: "15 6 * * *" });
  expect(parseQuiet("fri-mon 00:00-24:00")).toEqual({ begin: "0 0 * * 5,6,0,1", end: "0 0 * * *" });
  expect(parseQuiet("Sat,Sunday 00:00-09:00")).toEqual({ begin: "0 0 * * 6,0", end: "0 9 * * *" });
  const wrong = ["", "22-07", "24:00-07:00", "22:00-24:01", "22:60-07:00", "Mo 22:00-07:00", "Mon-Wed-Fri 1:00-2:00"];
  expect(wrong.map(parseQuiet)).toEqual(wrong.map(() => null));
});

test("an alert of the night is told in the morning, and one of the day at once", () => {
  const night = ["22:00-07:00"];
  expect(toldAt("2026-03-02T22:59:00Z", night)).toBe("2026-03-03T06:00:00.000Z");
  expect(toldAt("2026-03-03T05:59:59Z", night)).toBe("2026-03-03T06:00:00.000Z");
  expect(toldAt("2026-03-03T06:00:00Z", night)).toBe("2026-03-03T06:00:00.000Z");
  expect(toldAt("2026-03-02T20:59:59Z", night)).toBe("2026-03-02T20:59:59.000Z");
});

test("the morning is that of the clock on the wall, also in a night when the clocks change", () => {
  expect(toldAt("2026-03-28T23:00:00Z", ["22:00-07:00"])).toBe("2026-03-29T05:00:00.000Z");
  expect(toldAt("2026-10-24T23:00:00Z", ["22:00-07:00"])).toBe("2026-10-25T06:00:00.000Z");
  // That night has no half past two.
  expect(toldAt("2026-03-28T23:00:00Z", ["22:00-02:30"])).toBe("2026-03-29T01:00:00.000Z");
});

test("a night and a weekend that follow one another are one quiet time", () => {
  const hours = ["20:00-07:00", "Sat,Sun 00:00-24:00"];
  // Friday evening; Monday at seven.
  expect(toldAt("2026-03-06T19:30:00Z", hours)).toBe("2026-03-09T06:00:00.000Z");
});

test("what is urgent waits for no morning", () => {
  const hears = { quiet: quiet("22:00-07:00"), urgent: "error" } as const;
  const at = Date.parse("2026-03-02T23:00:00Z");
  expect(heardFrom(hears, "critical", "UTC", at)).toBe(at);
  expect(heardFrom(hears, "error", "UTC", at)).toBe(at);
  expect(heardFrom(hears, "warning", "UTC", at)).toBe(at + 8 * HOUR);
});

test("quiet hours that leave no time are recognized", () => {
  expect(leaveTime(quiet("00:00-24:00"))).toBe(false);
  expect(leaveTime(quiet("00:00-12:00", "12:00-24:00"))).toBe(false);
  expect(leaveTime(quiet("22:00-22:00"))).toBe(false);
  expect(leaveTime(quiet("Sat,Sun 00:00-24:00", "20:00-08:00"))).toBe(true);
  expect(leaveTime([])).toBe(true);
  expect(leaveTime(quiet("Fri-Mon 00:00-24:00"))).toBe(true);
  expect(leaveTime(quiet("Thu-Mon 00:00-24:00"))).toBe(false);
});

const TIME = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom("00", "15", "59")).map(([h, m]) => `${h}:${m}`);
const HOURS = fc
  .tuple(fc.constantFrom("", "Mon-Fri ", "Sat,Sun ", "Wed "), TIME, TIME)
  .map(([days, from, to]) => `${days}${from}-${to}`);

test("law: an alert is never told before it is due, in quiet hours, or later than they last, in any zone", () => {
  fc.assert(
    fc.property(
      fc.array(HOURS, { minLength: 1, maxLength: 3 }).filter((hours) => leaveTime(quiet(...hours))),
      fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"),
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
      (hours, zone, at) => {
        const hears = { quiet: quiet(...hours) };
        const told = heardFrom(hears, "error", zone, at);
        expect(told).toBeGreaterThanOrEqual(at);
        expect(told).toBeLessThanOrEqual(at + QUIET_MAX + DAY);
        // Told then, it waits for nothing more; a minute before, it waited for the same.
        expect(heardFrom(hears, "error", zone, told)).toBe(told);
        if (told - at > MINUTE) expect(heardFrom(hears, "error", zone, told - MINUTE)).toBe(told);
      },
    ),
    { numRuns: 300 },
  );
});
