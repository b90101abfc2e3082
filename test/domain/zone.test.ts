// R13, R17: which zone names are taken, and the periods of every zone's history: without a gap, and long enough
// for the rule that only the period before can have shown a wall time.

import { expect, test } from "bun:test";
import { isTimezone, offsetPeriodAt } from "../../src/domain/schedule/zone.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";

test("R13: a zone is an IANA name; case does not matter, bare offsets and anything else are refused", () => {
  const names = [
    "UTC",
    "utc",
    "Etc/UTC",
    "Europe/Berlin",
    "europe/berlin",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+5",
  ];
  for (const name of names) expect([name, isTimezone(name)]).toEqual([name, true]);
  const others = [
    "",
    " ",
    "+02:00",
    "-03",
    "+00:00",
    "Z",
    "UTC+1",
    "Mars/Phobos",
    "Europe/Berlin ",
    "Europe",
    "\u0000",
  ];
  others.push("2020-01-01T00:00[Europe/Berlin]", "Europe/Berlin[u-ca=hebrew]", "../etc/passwd", "A".repeat(10_000));
  for (const name of others) expect([name, isTimezone(name)]).toEqual([name, false]);
});

test("R13: Vancouver keeps one offset all year since 2026, as its government decided", () => {
  const { offset, until } = offsetPeriodAt("America/Vancouver", Date.UTC(2026, 11, 1));
  expect([offset, until]).toEqual([-7 * HOUR, Number.POSITIVE_INFINITY]);
});

test("UTC is one endless period, whichever way it is called", () => {
  for (const name of ["UTC", "Etc/UTC", "utc", "Etc/GMT"]) {
    const { from, until, offset, freshFrom } = offsetPeriodAt(name, 0);
    expect([from, until, offset, freshFrom]).toEqual([-Infinity, Infinity, 0, -Infinity]);
  }
});

test("R17: where clocks are set back the repeated hour is not fresh, where they are set forward everything is", () => {
  const winter = offsetPeriodAt("Europe/Berlin", Date.parse("2026-12-01T00:00Z"));
  expect(winter.from).toBe(Date.parse("2026-10-25T01:00Z"));
  expect(winter.until).toBe(Date.parse("2027-03-28T01:00Z"));
  expect(winter.offset).toBe(HOUR);
  expect(winter.freshFrom).toBe(Date.parse("2026-10-25T03:00Z"));
  const summer = offsetPeriodAt("Europe/Berlin", winter.until);
  expect(summer.from).toBe(winter.until);
  expect(summer.freshFrom).toBe(summer.from + 2 * HOUR);
});

test("R17: in no zone's history or future does a period show again what an earlier one than the last has shown", () => {
  const end = Date.UTC(2100, 0);
  let periodCount = 0;
  for (const timezone of Intl.supportedValuesOf("timeZone")) {
    let period = offsetPeriodAt(timezone, Date.UTC(1800, 0));
    let shown = Number.NEGATIVE_INFINITY;
    for (; period.until < end; period = offsetPeriodAt(timezone, period.until)) {
      const next = offsetPeriodAt(timezone, period.until);
      expect(next.from).toBe(period.until);
      expect(next.offset).not.toBe(period.offset);
      expect(offsetPeriodAt(timezone, period.until - 1)).toEqual(period);
      shown = Math.max(shown, period.until + period.offset);
      expect(next.freshFrom).toBe(Math.max(shown, next.from + next.offset));
      expect(next.until - next.from).toBeGreaterThan(2 * DAY);
      periodCount += 1;
    }
  }
  expect(periodCount).toBeGreaterThan(10_000);
});
