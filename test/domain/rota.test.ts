// R38: whose week it is, for every rota, zone and instant.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { offsetPeriodAt } from "../../src/domain/schedule/zone.ts";
import { onCall, parseSince } from "../../src/domain/settings/rota.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import { ZONES } from "./slots-arbitraries.ts";

const WEEK = 7 * DAY;
const NAMES = ["ada", "grace", "alan", "edsger"];
const rotaOf = (since: number, count = 2) => ({ name: "oncall", turns: NAMES.slice(0, count), since, hears: {} });
const wallOf = (timezone: string, at: Instant): number => at + offsetPeriodAt(timezone, at).offset;

/** A minute of the years 1990 to 2040, written as a wall-clock time. */
const aSince = fc
  .integer({ min: Date.UTC(1990, 0, 1) / MINUTE, max: Date.UTC(2040, 0, 1) / MINUTE })
  .map((minute) => minute * MINUTE);

test("R38: each instant is one's week, which ends at the wall-clock time of `since`, also where clocks change", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      aSince,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 60 * WEEK }),
      (timezone, since, count, later) => {
        const rota = rotaOf(since, count);
        const at = since + later;
        const { name, until } = onCall(rota, timezone, at);
        expect(until).toBeGreaterThan(at);
        const passed = wallOf(timezone, until) - since;
        // A time that a change skips is the first after it.
        const skipped = wallOf(timezone, until) - wallOf(timezone, until - 1) - 1;
        expect(skipped > 0 ? passed % WEEK <= skipped : passed % WEEK === 0).toBe(true);
        const week = Math.floor(passed / WEEK);
        expect(name).toBe(rota.turns[(week - 1) % count]!);
        expect(onCall(rota, timezone, until - 1)).toEqual({ name, until });
        const next = onCall(rota, timezone, until);
        expect(next.name).toBe(rota.turns[week % count]!);
        expect(next.until).toBeGreaterThan(until);
      },
    ),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 1_000) },
  );
});

test("R38: a week of Berlin changes at nine, in winter and in summer, and the first is on call before it begins", () => {
  const rota = rotaOf(parseSince("2026-03-23T09:00")!);
  const shown = (at: string) => {
    const { name, until } = onCall(rota, "Europe/Berlin", Date.parse(at));
    return [name, toIso(until)];
  };
  expect(shown("2026-01-01T00:00Z")).toEqual(["ada", "2026-03-30T07:00:00.000Z"]);
  expect(shown("2026-03-23T08:00Z")).toEqual(["ada", "2026-03-30T07:00:00.000Z"]);
  expect(shown("2026-03-30T06:59:59Z")).toEqual(["ada", "2026-03-30T07:00:00.000Z"]);
  expect(shown("2026-03-30T07:00Z")).toEqual(["grace", "2026-04-06T07:00:00.000Z"]);
  expect(shown("2026-10-24T12:00Z")).toEqual(["ada", "2026-10-26T08:00:00.000Z"]);
});

test("R38: a week that begins in the hour that clocks show twice, or skip, has its turn once", () => {
  const autumn = rotaOf(parseSince("2026-10-18T02:30")!);
  const first = Date.parse("2026-10-25T00:30Z");
  expect(onCall(autumn, "Europe/Berlin", first - 1).name).toBe("ada");
  for (const later of [0, 20 * MINUTE, 40 * MINUTE, HOUR, 2 * HOUR])
    expect(onCall(autumn, "Europe/Berlin", first + later).name).toBe("grace");
  const spring = rotaOf(parseSince("2026-03-22T02:30")!);
  const change = Date.parse("2026-03-29T01:00Z");
  expect(onCall(spring, "Europe/Berlin", change - 1)).toEqual({ name: "ada", until: change });
  expect(onCall(spring, "Europe/Berlin", change).name).toBe("grace");
});

test("R38: `since` is a time of a day that there is, to the minute and without a zone", () => {
  expect(parseSince("2026-11-30T09:00")).toBe(Date.UTC(2026, 10, 30, 9));
  for (const text of [
    "",
    "2026-11-30",
    "2026-11-30 09:00",
    "2026-11-30T09:00Z",
    "2026-11-30T09:00:00",
    "2026-11-31T09:00",
    "2026-11-30T24:00",
    "2026-11-30T09:60",
    "2026-13-01T09:00",
    " 2026-11-30T09:00",
  ])
    expect([text, parseSince(text)]).toEqual([text, null]);
});
