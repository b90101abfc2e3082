// Calendar events of systemd as rollcall's schedules, against systemd itself: the next times must be the same ones.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { spanSeconds } from "../../src/discover/unit-file.ts";
import { readCalendar } from "../../src/domain/schedule/calendar-events.ts";
import { nextSlot } from "../../src/domain/schedule/slots.ts";

const ITERATIONS = 12;
const HAS_SYSTEMD = Bun.which("systemd-analyze") !== null;

/** The next times that systemd gives, as whole minutes of UTC. */
function asSystemd(event: string): number[] {
  const args = [
    "systemd-analyze",
    "calendar",
    `--iterations=${ITERATIONS}`,
    "--base-time=2026-01-15 03:07:00 UTC",
    event,
  ];
  const ran = Bun.spawnSync(args, { env: { TZ: "UTC", LC_ALL: "C", PATH: process.env["PATH"] } });
  expect(ran.exitCode).toBe(0);
  const times = ran.stdout.toString().matchAll(/(?:Next elapse|Iteration #\d+|Iter\. #\d+): \w+ (\S+) (\S+) UTC$/gm);
  return [...times].map(([, date, time]) => Date.parse(`${date}T${time}Z`)).map((at) => at - (at % 60_000));
}

function asRollcall(schedule: string, timezone: string): number[] {
  const times: number[] = [];
  let at: number | null = Date.parse("2026-01-15T03:07:00Z");
  while (times.length < ITERATIONS && at !== null) {
    at = nextSlot(schedule, timezone, at);
    if (at !== null) times.push(at);
  }
  return times;
}

const same = (event: string): void => {
  const { read, timezone } = readCalendar([event]);
  if ("why" in read) throw new Error(`${event}: ${read.why}`);
  const theirs = asSystemd(event);
  expect({ event, times: asRollcall(read.schedule, timezone ?? "UTC").slice(0, theirs.length) }).toEqual({
    event,
    times: theirs,
  });
  expect(theirs.length).toBe(ITERATIONS);
};

describe.if(HAS_SYSTEMD)("systemd's times are ours", () => {
  test.each([
    "daily",
    "weekly",
    "monthly",
    "hourly",
    "minutely",
    "quarterly",
    "semiannually",
    "Mon..Fri 22:30",
    "*-*-* 6,18:00",
    "*:0/15",
    "Sat *-*-1..7 18:00:00",
    "Sun,Mon *-12-13",
    "*-*-1/7",
    "Fri *-*-01..07 12:00",
    "Wed..Sun,Mon 3:0",
    "*-*-* 06:00 Europe/Berlin",
    "daily UTC",
    "05:40",
    "2..4:30",
    "12:00:30",
    "Sat,Mon 8:00",
    "*-1,7-1 0:0",
    "2/6:15",
  ])("%s", same);

  test("of any event that is translated", () => {
    /** `steps` says which steps are tried: all, those that end with the day, or none. */
    const part = (least: number, most: number, steps: "all" | "whole" | "none" = "all") => {
      const value = fc.integer({ min: least, max: most });
      const range = fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}..${Math.max(one, other)}`);
      const step = fc
        .tuple(value, fc.integer({ min: 1, max: most }))
        .filter(([from, every]) => steps === "all" || (most + 1 - from) % every === 0)
        .map((one) => one.join("/"));
      return fc
        .array(fc.oneof(value.map(String), range, ...(steps === "none" ? [] : [step])), { minLength: 1, maxLength: 2 })
        .map((one) => one.join(","));
    };
    const star = (one: fc.Arbitrary<string>) => fc.oneof(fc.constant("*"), one);
    const events = fc
      .tuple(
        fc.constantFrom("", "Mon ", "Sat,Sun ", "Tue..Thu ", "Fri..Sun "),
        star(part(1, 12)),
        // After the end of a year systemd 252 leaves out the 1st of "1/16", against its own documents.
        star(part(1, 28, "none")),
        // After the last day of a month systemd 252 leaves out hour 0 of "0/13", against its own documents.
        star(part(0, 23, "whole")),
        part(0, 59),
      )
      .map(([weekday, month, day, hour, minute]) => `${weekday}*-${month}-${day} ${hour}:${minute}:00`);
    fc.assert(
      fc.property(events, (event) => ("why" in readCalendar([event]).read ? undefined : same(event))),
      { numRuns: 40 },
    );
  }, 120_000);
});

test.each([
  ["*-*~1", "counts days from the end of the month"],
  ["2027-01-01", "names a year"],
  ["*:*:0/10", "several times a minute"],
  ["Fri *-*-13", "it needs both a day of the month and a weekday"],
  ["%i", "has a specifier"],
  ["whenever", "is not understood"],
  ["Sat..Mon 8:00", "is not understood"],
])("%s cannot be watched", (event, why) =>
  expect(readCalendar([event]).read).toEqual({ why: expect.stringContaining(why), broken: false }),
);

test("several events are one schedule where one field tells them apart", () => {
  expect(readCalendar(["*-*-* 02:00", "*-*-* 14:00"]).read).toEqual({ schedule: "0 2,14 * * *" });
  expect(readCalendar(["*-*-* 02:00", "*-*-* 14:30"]).read).toMatchObject({
    why: expect.stringContaining("no single schedule"),
  });
});

test("spans of systemd", () => {
  expect(["1h 30min", "5", "2days", "1M", "3h", "soon"].map(spanSeconds)).toEqual([
    5_400,
    5,
    172_800,
    2_629_800,
    10_800,
    null,
  ]);
});
