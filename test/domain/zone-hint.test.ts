// R13 by example: which reports make a streak, which zone it names, what is said of it, and where it stays silent. The
// streak over random reports is a law (laws/drift-model.ts).

import { describe, expect, test } from "bun:test";
import { type Monitor, newMonitor, type Watch } from "../../src/domain/monitor/monitor.ts";
import { type Signal, transition } from "../../src/domain/monitor/transition.ts";
import { zoneHint } from "../../src/domain/monitor/zone-hint.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { zoneHintInWords } from "../../src/domain/wording/zone-words.ts";
import { complete, DEFAULT_WATCH, fail, heartbeat, start } from "../support/timeline-table.ts";

const DAILY: Watch = { ...DEFAULT_WATCH, schedule: "0 2 * * *" };
const ZONES = ["Europe/Berlin", "UTC"];

type Report = readonly [Instant, Signal?];

/** The monitor after these reports; heartbeats, where nothing else is said. */
function after(watch: Watch, reports: readonly Report[]): Monitor {
  let monitor = newMonitor(watch, reports[0]![0]);
  for (const [at, signal = heartbeat] of reports) monitor = transition(monitor, signal, at, []).monitor;
  return monitor;
}

const hintAfter = (watch: Watch, reports: readonly Report[], zones = ZONES) => zoneHint(after(watch, reports), zones);

/** Reports of the days from `first` on (`2026-01-10`), each at `time` UTC. */
const daily = (first: string, time: string, count: number): Report[] =>
  Array.from({ length: count }, (_, day): Report => [Date.parse(`${first}T${time}Z`) + day * DAY]);

/** Reports at 02:00 of `zone`, day by day. */
const dailyIn = (zone: string, first: string, count: number): Report[] =>
  Array.from({ length: count }, (_, day): Report => {
    const date = Temporal.PlainDate.from(first).add({ days: day });
    return [date.toZonedDateTime({ timeZone: zone, plainTime: "02:00" }).epochMilliseconds];
  });

describe("a job of another zone", () => {
  test("of Berlin under a watch in UTC, in winter: an hour before its time, from the third report on", () => {
    const reports = dailyIn("Europe/Berlin", "2026-01-10", 3);
    expect(hintAfter(DAILY, reports.slice(0, 2))).toBeNull();
    expect(hintAfter(DAILY, reports)).toEqual({ offsetMinutes: -60, reports: 3, zone: "Europe/Berlin" });
  });

  test("of Berlin under a watch in UTC, in summer: two hours", () => {
    const reports = dailyIn("Europe/Berlin", "2026-07-10", 5);
    expect(hintAfter(DAILY, reports)).toEqual({ offsetMinutes: -120, reports: 5, zone: "Europe/Berlin" });
  });

  test("across a clock change begins a new streak, since the offset is another", () => {
    const reports = dailyIn("Europe/Berlin", "2026-03-25", 7);
    const drifts = [3, 4, 5, 6, 7].map((count) => after(DAILY, reports.slice(0, count)).drift);
    expect(drifts).toEqual([
      { minutes: -60, reports: 3 },
      { minutes: -60, reports: 4 },
      // The 29th, which has no 02:00: what runs at 03:00 instead comes at 01:00 UTC all the same.
      { minutes: -60, reports: 5 },
      { minutes: -120, reports: 1 },
      { minutes: -120, reports: 2 },
    ]);
  });

  test("of UTC under a watch in Kolkata: five and a half hours after its time", () => {
    const watch: Watch = { ...DAILY, timezone: "Asia/Kolkata" };
    const hint = hintAfter(watch, daily("2026-01-10", "02:00:07", 3));
    expect(hint).toEqual({ offsetMinutes: 330, reports: 3, zone: "UTC" });
    expect(zoneHintInWords(hint!, watch.timezone)).toBe(
      "The last 3 reports came 5 hours 30 minutes after their scheduled time in Asia/Kolkata, which is on time in UTC: " +
        "if the job runs there, set timezone=UTC in its reports, or server.timezone.",
    );
  });

  test("of Kathmandu under a watch in UTC, which none of the candidates fits", () => {
    const hint = hintAfter(DAILY, dailyIn("Asia/Kathmandu", "2026-01-10", 3));
    expect(hint).toEqual({ offsetMinutes: -345, reports: 3, zone: null });
    expect(zoneHintInWords(hint!, "UTC")).toBe(
      "The last 3 reports came 5 hours 45 minutes before their scheduled time in UTC: the job runs in another time zone, " +
        "or its clock or schedule is off by that much.",
    );
  });

  test("of Sydney under a watch in UTC: 11 hours before, since nobody lives 13 hours behind", () => {
    const reports = dailyIn("Australia/Sydney", "2026-01-10", 3);
    expect(hintAfter(DAILY, reports, ["Australia/Sydney"])).toEqual({
      offsetMinutes: -660,
      reports: 3,
      zone: "Australia/Sydney",
    });
  });

  test("is named by the first candidate that fits, the likeliest", () => {
    const reports = dailyIn("Europe/Berlin", "2026-01-10", 3);
    expect(hintAfter(DAILY, reports, ["Asia/Tokyo", "Europe/Paris", "Europe/Berlin"])?.zone).toBe("Europe/Paris");
  });

  test("is named by the last report that counted, although its run has ended beyond a clock change", () => {
    const reports = daily("2026-03-26", "11:00:00", 3).flatMap(([at]): Report[] => [
      [at, start()],
      [at + 16 * HOUR, complete()],
    ]);
    const hint = hintAfter({ ...DAILY, schedule: "0 12 * * *" }, reports);
    expect(hint).toEqual({ offsetMinutes: -60, reports: 3, zone: "Europe/Berlin" });
  });

  test("of Tokyo, twice a day under a watch in UTC: the nearest slot is another one, the zone fits all the same", () => {
    const reports = [10, 11].flatMap((day): Report[] => [
      [Date.parse(`2026-01-${day}T09:00:00Z`)],
      [Date.parse(`2026-01-${day}T21:00:00Z`)],
    ]);
    const hint = hintAfter({ ...DAILY, schedule: "0 6,18 * * *" }, reports, ["Asia/Tokyo", "UTC"]);
    expect(hint).toEqual({ offsetMinutes: 180, reports: 4, zone: "Asia/Tokyo" });
  });
});

test("a job that is simply an hour late each day: the offset without a zone, and every cause that could be", () => {
  const hint = hintAfter(DAILY, daily("2026-01-10", "03:00:20", 4));
  expect(hint).toEqual({ offsetMinutes: 60, reports: 4, zone: null });
  expect(zoneHintInWords(hint!, "UTC")).toBe(
    "The last 4 reports came 1 hour after their scheduled time in UTC: the job takes that long, runs in another time zone, " +
      "or its clock or schedule is off by that much.",
  );
});

describe("what counts", () => {
  const at = (day: number, time: string): Instant => Date.parse(`2026-01-${day}T${time}Z`);
  const drift = (...reports: Report[]) => after(DAILY, reports).drift;

  test("two minutes beside the mark, no more", () => {
    expect(drift([at(10, "03:02:00")], [at(11, "02:58:00")])).toEqual({ minutes: 60, reports: 2 });
    expect(drift([at(10, "03:02:00")], [at(11, "03:02:00.001")])).toEqual({ minutes: 0, reports: 0 });
    expect(drift([at(10, "03:02:00")], [at(11, "02:57:59.999")])).toEqual({ minutes: 0, reports: 0 });
  });

  test("a report on time, or off by something else, ends the streak", () => {
    const late = daily("2026-01-10", "03:00:00", 2);
    expect(drift(...late, [at(12, "02:01:59")])).toEqual({ minutes: 0, reports: 0 });
    expect(drift(...late, [at(12, "03:20:00")])).toEqual({ minutes: 0, reports: 0 });
    expect(drift(...late, [at(12, "03:15:00")])).toEqual({ minutes: 75, reports: 1 });
  });

  test("a report that repeats the one before it, within minutes, says nothing new", () => {
    const trying = [0, 1, 2, 3].map((minute): Report => [at(10, "03:00:00") + minute * MINUTE - 90 * SECOND]);
    expect(drift(...trying)).toEqual({ minutes: 60, reports: 1 });
    expect(drift(...trying, [at(11, "03:00:00")])).toEqual({ minutes: 60, reports: 2 });
  });

  test("of a job that sends starts these alone: an end comes later by the run's length", () => {
    const runs = [10, 11, 12].flatMap((day): Report[] => [
      [at(day, "03:00:00"), start()],
      [at(day, "04:10:00"), day === 11 ? fail() : complete()],
    ]);
    expect(drift(...runs)).toEqual({ minutes: 60, reports: 3 });
    expect(drift([at(10, "02:00:00"), start()], [at(10, "03:00:00"), complete()])).toEqual({ minutes: 0, reports: 0 });
  });

  test("an end without a start, a fail too", () => {
    expect(drift([at(10, "03:00:00"), complete("a")], [at(11, "03:00:00"), fail()])).toEqual({
      minutes: 60,
      reports: 2,
    });
  });

  test("no report that the rate limit refused", () => {
    const late = daily("2026-01-10", "03:00:00", 2);
    expect(drift(...late, [at(12, "03:00:00"), { kind: "refused", further: false }])).toEqual({
      minutes: 60,
      reports: 2,
    });
  });

  test("nothing from before another schedule, another zone or a wrong clock; another grace is no matter", () => {
    const late = daily("2026-01-10", "03:00:00", 3);
    const declare = (changes: Partial<Watch>): Report => [
      at(12, "04:00:00"),
      { kind: "declare", watch: { ...DAILY, ...changes } },
    ];
    expect(drift(...late, declare({ schedule: "0 3 * * *" })).reports).toBe(0);
    expect(drift(...late, declare({ schedule: null })).reports).toBe(0);
    expect(drift(...late, declare({ timezone: "Europe/Berlin" })).reports).toBe(0);
    expect(drift(...late, [at(12, "03:00:00"), { kind: "rebase", backMs: 0 }]).reports).toBe(0);
    expect(drift(...late, declare({ graceSeconds: 7200 })).reports).toBe(3);
  });
});

describe("silence where a hint might be wrong", () => {
  const silent = (schedule: string, reports: readonly Report[], timezone = "UTC") =>
    expect(after({ ...DAILY, schedule, timezone }, reports).drift).toEqual({ minutes: 0, reports: 0 });

  test("the hours are not fixed: any, or steps over the whole day", () => {
    for (const schedule of ["0 * * * *", "0 */6 * * *", "0 0-23 * * *"])
      silent(schedule, daily("2026-01-10", "02:30:00", 3));
  });

  test("it is halfway between two slots, or nearly", () => {
    silent("0 6,18 * * *", daily("2026-01-10", "12:00:00", 3));
    silent("0 6,18 * * *", daily("2026-01-10", "10:15:00", 3));
    expect(hintAfter({ ...DAILY, schedule: "0 6,18 * * *" }, daily("2026-01-10", "10:00:00", 3))?.offsetMinutes).toBe(
      240,
    );
    // Pago Pago, or Auckland in its summer.
    silent("0 2 * * *", daily("2026-01-10", "13:00:00", 3));
  });

  test("it is further away than any zone is", () => {
    const monthly = "0 2 1 * *";
    silent(monthly, daily("2026-01-01", "14:00:00", 1));
    silent(monthly, [[Date.parse("2025-12-31T11:45:00Z")]]);
    expect(after({ ...DAILY, schedule: monthly }, daily("2026-01-01", "13:00:00", 1)).drift.minutes).toBe(660);
    expect(after({ ...DAILY, schedule: monthly }, daily("2025-12-31", "12:00:00", 1)).drift.minutes).toBe(-840);
    // A watch in Tokyo: jobs may live as far west as 20 hours behind it, and 5 ahead.
    const tokyo = { ...DAILY, schedule: monthly, timezone: "Asia/Tokyo" };
    expect(after(tokyo, daily("2026-01-01", "13:00:00", 1)).drift.minutes).toBe(1200);
    silent(monthly, daily("2025-12-31", "11:45:00", 1), "Asia/Tokyo");
  });

  test("many slots an hour, which a shift by an hour meets again", () => {
    silent(
      "0 9-17 * * *",
      [10, 11, 12].map((hour): Report => [Date.parse(`2026-01-10T${hour}:00:00Z`)]),
    );
  });
});
