// Maintenance windows: when they begin and end, which can never end, and worked examples of what they do to a monitor.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type MaintenanceWindow,
  maintenanceUntil,
  nextMaintenance,
  pausesForEver,
} from "../../src/domain/schedule/maintenance.ts";
import { HOUR, type Instant, toIso, toIsoOrNull } from "../../src/domain/time.ts";
import { judgedByRuntime } from "../support/runtime-zones.ts";
import { DEFAULT_WATCH, follow } from "../support/timeline-table.ts";
import { windowEnd, windowsIn } from "./timelines/facts.ts";
import { MAINTENANCE_EXAMPLES } from "./worked-examples/maintenance.ts";

judgedByRuntime();

describe("R24: worked examples of maintenance", () => {
  for (const example of MAINTENANCE_EXAMPLES) test(example.title, () => follow(example));
});

const windowOf = (schedule: string, hours: number, timezone: string | null = null): MaintenanceWindow => ({
  schedule,
  timezone,
  durationSeconds: hours * 3600,
});

const instant = (text: string): Instant => Date.parse(`${text}Z`);

function next(windows: readonly MaintenanceWindow[], after: string, health = after): string | null {
  const found = nextMaintenance(
    { maintenance: windows, timezone: "America/New_York" },
    instant(after),
    instant(health),
  );
  return found === null ? null : `${toIso(found.from)} to ${toIso(found.until)}`;
}

describe("the next window", () => {
  const nightly = windowOf("0 2 * * *", 2, "UTC");

  test("begins strictly after the instant", () => {
    expect(next([nightly], "2026-03-02T01:59:59")).toBe("2026-03-02T02:00:00.000Z to 2026-03-02T04:00:00.000Z");
    expect(next([nightly], "2026-03-02T02:00:00")).toBe("2026-03-03T02:00:00.000Z to 2026-03-03T04:00:00.000Z");
    expect(next([], "2026-03-02T02:00:00")).toBeNull();
  });

  test("is the first to begin, and of several that begin together the longest", () => {
    const windows = [windowOf("0 2 * * *", 1, "UTC"), nightly, windowOf("0 2 * * *", 1.5, "UTC")];
    expect(next(windows, "2026-03-02T00:00:00")).toBe("2026-03-02T02:00:00.000Z to 2026-03-02T04:00:00.000Z");
    const earlier = [nightly, windowOf("0 1 * * *", 0.5, "UTC")];
    expect(next(earlier, "2026-03-02T00:00:00")).toBe("2026-03-02T01:00:00.000Z to 2026-03-02T01:30:00.000Z");
  });

  test("outlasts the pause that stands", () => {
    const day = (health: string) => next([nightly], "2026-03-02T00:00:00", health)?.slice(0, 10);
    expect(day("2026-03-02T03:59:59")).toBe("2026-03-02");
    expect(day("2026-03-02T04:00:00")).toBe("2026-03-03");
    expect(day("2026-03-04T02:00:00")).toBe("2026-03-04");
  });

  test("is read in its own zone, or else in the monitor's", () => {
    const zones = [windowOf("0 2 * * *", 1, "Europe/Berlin"), windowOf("0 2 * * *", 1)];
    const begins = zones.map((window) => next([window], "2026-01-10T00:00:00")?.slice(0, 24));
    expect(begins).toEqual(["2026-01-10T01:00:00.000Z", "2026-01-10T07:00:00.000Z"]);
  });

  test("R17: lasts by the clock over a clock change", () => {
    const berlin = windowOf("0 1 * * 0", 4, "Europe/Berlin");
    expect(next([berlin], "2026-03-28T00:00:00")).toBe("2026-03-29T00:00:00.000Z to 2026-03-29T04:00:00.000Z");
  });

  test("R17: begins at the first instant after a clock change that skips its start", () => {
    const berlin = windowOf("30 2 * * 0", 2, "Europe/Berlin");
    expect(next([berlin], "2026-03-28T00:00:00")).toBe("2026-03-29T01:00:00.000Z to 2026-03-29T03:00:00.000Z");
    expect(next([berlin], "2026-03-29T01:00:00")).toBe("2026-04-05T00:30:00.000Z to 2026-04-05T02:30:00.000Z");
    const until = (time: string) => maintenanceUntil({ maintenance: [berlin], timezone: "UTC" }, instant(time));
    expect(until("2026-03-29T00:59:59")).toBeNull();
    expect(until("2026-03-29T01:00:00")).toBe(instant("2026-03-29T03:00:00"));
    // Samoa went without the whole of 30 December 2011.
    const samoa = windowOf("0 12 30 12 *", 1, "Pacific/Apia");
    expect(next([samoa], "2011-12-29T00:00:00")).toBe("2011-12-30T10:00:00.000Z to 2011-12-30T11:00:00.000Z");
  });

  test("R17: begins at the first of two times at which its start occurs", () => {
    const berlin = windowOf("30 2 * * 0", 2, "Europe/Berlin");
    expect(next([berlin], "2026-10-24T00:00:00")).toBe("2026-10-25T00:30:00.000Z to 2026-10-25T02:30:00.000Z");
    expect(next([berlin], "2026-10-25T00:30:00")).toBe("2026-11-01T01:30:00.000Z to 2026-11-01T03:30:00.000Z");
  });
});

test("R17: every start of a window takes place once, around the clock changes of every zone", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  const schedules = ["30 2 * * *", "*/15 0-3 * * *", "0 0 * * *", "45 23 * * 6", "10,50 1-2 * 3,4,9,10,11 0"];
  const anyTime = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
  const holds = (zone: string, schedule: string, near: Instant, hours: number): void => {
    const change = Temporal.Instant.fromEpochMilliseconds(near).toZonedDateTimeISO(zone).getTimeZoneTransition("next");
    const after = (change?.epochMilliseconds ?? near) - 30 * HOUR;
    const watch = { ...DEFAULT_WATCH, maintenance: [windowOf(schedule, hours)], timezone: zone };
    const spans = [...new Map(windowsIn(watch, after, after + 60 * HOUR).map((span) => [span.from, span])).values()];
    let from = after;
    for (const span of spans) {
      const found = nextMaintenance(watch, from, from);
      expect(found).toEqual(span);
      expect(maintenanceUntil(watch, span.from)).toBe(span.until);
      expect(maintenanceUntil(watch, span.from - 1)).toBe(windowEnd(watch, span.from - 1));
      from = span.from;
    }
  };
  const cases = fc.property(
    fc.constantFrom(...zones),
    fc.constantFrom(...schedules),
    anyTime,
    fc.constantFrom(0.5, 3),
    holds,
  );
  fc.assert(cases, { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) });
}, 120_000);

test("a window's span has its beginning in it and its end not; where several last, the latest end counts", () => {
  const maintenance = [windowOf("0 2 * * *", 2), windowOf("0 3 * * *", 2), windowOf("0 12 * * *", 36)];
  const until = (time: string) => toIsoOrNull(maintenanceUntil({ maintenance, timezone: "UTC" }, instant(time)));
  const only = (time: string) =>
    toIsoOrNull(maintenanceUntil({ maintenance: maintenance.slice(0, 2), timezone: "UTC" }, instant(time)));
  expect(only("2026-03-02T01:59:59")).toBeNull();
  expect(only("2026-03-02T02:00:00")).toBe("2026-03-02T04:00:00.000Z");
  expect(only("2026-03-02T03:00:00")).toBe("2026-03-02T05:00:00.000Z");
  expect(only("2026-03-02T05:00:00")).toBeNull();
  expect(until("2026-03-02T12:00:00")).toBe("2026-03-04T00:00:00.000Z");
  expect(maintenanceUntil({ maintenance: [], timezone: "UTC" }, 0)).toBeNull();
});

describe("windows pause for ever", () => {
  const cases: readonly [string, boolean, readonly MaintenanceWindow[]][] = [
    ["none", false, []],
    ["two hours a week", false, [windowOf("0 4 * * 0", 2)]],
    ["a week a week", true, [windowOf("0 4 * * 0", 7 * 24)]],
    ["a week a week, with an hour that a clock change adds", true, [windowOf("0 4 * * 0", 7 * 24, "Europe/Berlin")]],
    ["an hour every two minutes", true, [windowOf("*/2 * * * *", 1)]],
    ["a minute every minute", true, [windowOf("* * * * *", 1 / 60)]],
    ["a minute every minute of January", false, [windowOf("* * * 1 *", 1 / 60)]],
    ["two that overlap once a day", false, [windowOf("0 2,3 * * *", 1.5)]],
    ["a year a year, but for a leap day", true, [windowOf("0 0 1 1 *", 365 * 24)]],
    ["hour after hour, in two windows", true, [windowOf("0 */2 * * *", 1), windowOf("0 1-23/2 * * *", 1)]],
    ["hour after hour but for half a one", false, [windowOf("0 */2 * * *", 1), windowOf("30 1-23/2 * * *", 1)]],
    [
      "in zones that only the monitor's own can tell",
      false,
      [windowOf("0 0 * * *", 13), windowOf("0 12 * * *", 13, "UTC")],
    ],
  ];
  for (const [title, endless, windows] of cases) {
    test(`${title}: ${endless ? "yes" : "no"}`, () => expect(pausesForEver(windows)).toBe(endless));
  }
});

test("where slots end, in the year 3000, windows end too", () => {
  const maintained = { maintenance: [windowOf("0 2 * * *", 1)], timezone: "UTC" };
  expect(nextMaintenance(maintained, Date.UTC(2998, 11, 31), 0)).not.toBeNull();
  const late = Date.UTC(2999, 0, 1, 2);
  expect([nextMaintenance(maintained, late, 0), maintenanceUntil(maintained, late + HOUR)]).toEqual([null, null]);
});
