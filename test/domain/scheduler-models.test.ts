// The models of schedulers that the zone proof relies on, by examples that were seen on the real ones: Debian's cron
// 3.0pl1 under a false clock, systemd 252 by `systemd-analyze calendar`. They know nothing of rollcall.

import { expect, test } from "bun:test";
import { agreedSlots } from "./scheduler-models/agreed-slots.ts";
import { type CronJob, cronJob, isNamed, isNamedForCron } from "./scheduler-models/cron-job.ts";
import { debianCron } from "./scheduler-models/debian-cron.ts";
import { comparingScheduler, shiftingScheduler } from "./scheduler-models/plain-schedulers.ts";
import { systemdTimer } from "./scheduler-models/systemd-timer.ts";
import { type Walls, wallsOf } from "./scheduler-models/wall-minutes.ts";
import { historyOf } from "./scheduler-models/zone-history.ts";

type Scheduler = (job: CronJob, walls: Walls) => number[];

const onTime: Scheduler = (job, walls) => systemdTimer(job, walls, 0);

/**
 * The runs in [from, until) as `hour:minute:second` in UTC; with more than a day between both, with the day before it.
 */
function runs(scheduler: Scheduler, expression: string, timezone: string, from: string, until: string): string[] {
  const [start, end] = [Date.parse(`${from}Z`), Date.parse(`${until}Z`)];
  const history = historyOf(timezone, Date.UTC(2000, 0), Date.UTC(2041, 0));
  const fires = scheduler(cronJob(expression), wallsOf(history, start, end));
  const shown = end - start > 86_400_000 ? 8 : 11;
  return fires.map((second) => new Date(start + second * 1_000).toISOString().slice(shown, 19));
}

const berlinForward = ["Europe/Berlin", "2026-03-28T23:45", "2026-03-29T02:15"] as const;
const berlinBack = ["Europe/Berlin", "2026-10-24T23:45", "2026-10-25T02:45"] as const;
const lordHoweForward = ["Australia/Lord_Howe", "2026-10-03T15:00", "2026-10-03T16:15"] as const;
const lordHoweBack = ["Australia/Lord_Howe", "2026-04-04T14:20", "2026-04-04T15:50"] as const;
const saoPaulo = ["America/Sao_Paulo", "2018-11-03T00:00", "2018-11-06T00:00"] as const;
const apia = ["Pacific/Apia", "2011-12-29T00:00", "2012-01-01T00:00"] as const;
const caseyForward = ["Antarctica/Casey", "2018-10-06T15:00", "2018-10-08T15:00"] as const;

test("a zone's history has every change with its offsets before and after, to the minute", () => {
  const changesIn = (timezone: string, year: number) =>
    historyOf(timezone, Date.UTC(year, 0), Date.UTC(year + 1, 0)).changes.map(
      ({ at, before, after }) => `${new Date(at).toISOString().slice(5, 16)} ${before} ${after}`,
    );
  expect(changesIn("Europe/Berlin", 2026)).toEqual(["03-29T01:00 60 120", "10-25T01:00 120 60"]);
  expect(changesIn("Australia/Lord_Howe", 2026)).toEqual(["04-04T15:00 660 630", "10-03T15:30 630 660"]);
  expect(changesIn("America/Sao_Paulo", 2018)).toEqual(["02-18T02:00 -120 -180", "11-04T03:00 -180 -120"]);
  expect(changesIn("Pacific/Apia", 2011)).toContain("12-30T10:00 -600 840");
  expect(changesIn("America/Caracas", 2007)).toEqual(["12-09T07:00 -240 -270"]);
  expect(changesIn("UTC", 2026)).toEqual([]);
});

test("walls show each minute that passes, without the skipped ones and with the repeated ones twice", () => {
  const walls = (timezone: string, from: string, until: string) => {
    const history = historyOf(timezone, Date.UTC(2026, 0), Date.UTC(2027, 0));
    const shown = wallsOf(history, Date.parse(`${from}Z`), Date.parse(`${until}Z`));
    return [...shown].map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16));
  };
  expect(walls("Europe/Berlin", "2026-03-29T00:58", "2026-03-29T01:02")).toEqual(["01:58", "01:59", "03:00", "03:01"]);
  expect(walls("Europe/Berlin", "2026-10-25T00:58", "2026-10-25T01:02")).toEqual(["02:58", "02:59", "02:00", "02:01"]);
  expect(walls("Australia/Lord_Howe", "2026-10-03T15:29", "2026-10-03T15:31")).toEqual(["01:59", "02:30"]);
});

test("an expression names minutes by lists, ranges, steps and names, and days by either field or by both", () => {
  const named = (expression: string, wall: string, read = isNamed) =>
    read(cronJob(expression), Date.parse(`${wall}Z`) / 60_000);
  expect(named("7-59/10 1,3 * jan-mar SUN", "2026-03-29T03:17")).toBe(true);
  expect(named("7-59/10 1,3 * jan-mar SUN", "2026-03-29T03:18")).toBe(false);
  expect(named("7-59/10 1,3 * jan-mar SUN", "2026-03-29T02:17")).toBe(false);
  expect(named("7-59/10 1,3 * jan-mar SUN", "2026-04-05T03:17")).toBe(false);
  // The 13th or a Sunday; an odd date that is a Sunday.
  expect([13, 29, 30].map((day) => named("0 0 13 * 0", `2026-03-${day}T00:00`))).toEqual([true, true, false]);
  expect([15, 16, 22].map((day) => named("0 0 */2 * 0", `2026-03-${day}T00:00`))).toEqual([true, false, false]);
  expect(named("0 0 1-31 * 0", "2026-03-30T00:00")).toBe(false);
  // cron itself sees two restricted fields there, and runs every day.
  expect(named("0 0 1-31 * 0", "2026-03-30T00:00", isNamedForCron)).toBe(true);
  expect(() => cronJob("60 * * * *")).toThrow();
  expect(() => cronJob("* * * *")).toThrow();
});

test("Debian cron makes up for fixed times that were skipped, at once and ten seconds apart", () => {
  expect(runs(debianCron, "30 2 * * *", ...berlinForward)).toEqual(["01:00:01"]);
  expect(runs(debianCron, "0,30 1-3 * * *", ...berlinForward)).toEqual([
    ...["00:00:01", "00:30:01"],
    ...["01:00:01", "01:00:11", "01:00:21", "01:30:01"],
  ]);
  expect(runs(debianCron, "15 2 * * *", ...lordHoweForward)).toEqual(["15:30:01"]);
  expect(runs(debianCron, "0 0 * * *", ...saoPaulo)).toEqual(["03T03:00:01", "04T03:00:01", "05T02:00:01"]);
});

test("Debian cron lets jobs with a star in the minute or hour follow the clock", () => {
  expect(runs(debianCron, "*/30 * * * *", ...berlinForward)).toEqual([
    ...["00:00:01", "00:30:01"],
    ...["01:00:01", "01:30:01", "02:00:01"],
  ]);
  expect(runs(debianCron, "*/20 2 * * *", ...berlinForward)).toEqual([]);
  expect(runs(debianCron, "*/20 2 * * *", ...berlinBack)).toEqual([
    ...["00:00:01", "00:20:01", "00:40:01"],
    ...["01:00:01", "01:20:01", "01:40:01"],
  ]);
  expect(runs(debianCron, "0 */2 * * *", ...berlinBack)).toEqual(["00:00:01", "01:00:01"]);
});

test("Debian cron does not run fixed times again in a repeated hour", () => {
  expect(runs(debianCron, "30 2 * * *", ...berlinBack)).toEqual(["00:30:01"]);
  expect(runs(debianCron, "0,30 1-3 * * *", ...berlinBack)).toEqual(["00:00:01", "00:30:01", "02:00:01", "02:30:01"]);
  expect(runs(debianCron, "45 1 * * *", ...lordHoweBack)).toEqual(["14:45:01"]);
});

test("Debian cron takes a change of more than three hours for a correction of the clock", () => {
  expect(runs(debianCron, "0 12 * * *", ...apia)).toEqual(["29T22:00:01", "30T22:00:01", "31T22:00:01"]);
  // Casey went from +8 to +11 at four in the morning, a minute more than three hours on since cron last looked.
  expect(runs(debianCron, "30 5 * * *", ...caseyForward)).toEqual(["07T18:30:01"]);
  expect(runs(debianCron, "0 7 * * *", ...caseyForward)).toEqual(["06T20:00:01", "07T20:00:01"]);
});

test("Debian cron is late for a job behind others that it makes up for, ten seconds for each of their minutes", () => {
  const behindOthers: Scheduler = (job, walls) => debianCron(job, walls, cronJob("2-37/5 2 * * *"));
  expect(runs(debianCron, "0 3 * * *", ...berlinForward)).toEqual(["01:00:01"]);
  expect(runs(behindOthers, "0 3 * * *", ...berlinForward)).toEqual(["01:01:21"]);
});

test("a systemd timer passes over a time that is skipped and elapses once where it comes twice", () => {
  const days = ["2026-03-27T12:00", "2026-03-30T12:00"] as const;
  expect(runs(onTime, "30 2 * * *", "Europe/Berlin", ...days)).toEqual(["28T01:30:00", "30T00:30:00"]);
  expect(runs(onTime, "30 2 * * *", ...berlinBack)).toEqual(["00:30:00"]);
  expect(runs(onTime, "*/30 * * * *", ...berlinBack)).toEqual([
    ...["00:00:00", "00:30:00"],
    ...["02:00:00", "02:30:00"],
  ]);
  expect(runs(onTime, "45 1 * * *", ...lordHoweBack)).toEqual(["14:45:00"]);
  expect(runs(onTime, "0 0 * * *", ...saoPaulo)).toEqual(["03T03:00:00", "05T02:00:00"]);
  expect(runs(onTime, "0 12 * * *", ...apia)).toEqual(["29T22:00:00", "30T22:00:00", "31T22:00:00"]);
});

test("a systemd timer may be late by less than its accuracy of a minute, and by as much each time", () => {
  const late: Scheduler = (job, walls) => systemdTimer(job, walls, 41);
  expect(runs(late, "*/30 2-3 * * *", ...berlinForward)).toEqual(["01:00:41", "01:30:41"]);
});

test("a scheduler that only compares runs twice in a repeated hour and never in a skipped one", () => {
  expect(runs(comparingScheduler, "30 2 * * *", ...berlinForward)).toEqual([]);
  expect(runs(comparingScheduler, "30 2 * * *", ...berlinBack)).toEqual(["00:30:00", "01:30:00"]);
  expect(runs(comparingScheduler, "45 1 * * *", ...lordHoweBack)).toEqual(["14:45:00", "15:15:00"]);
  expect(runs(comparingScheduler, "0 0 * * *", ...saoPaulo)).toEqual(["03T03:00:00", "05T02:00:00"]);
});

test("a scheduler that shifts runs a skipped time later by as much, once where another run falls on it", () => {
  expect(runs(shiftingScheduler, "30 2 * * *", ...berlinForward)).toEqual(["01:30:00"]);
  expect(runs(shiftingScheduler, "0,30 2,3 * * *", ...berlinForward)).toEqual(["01:00:00", "01:30:00"]);
  expect(runs(shiftingScheduler, "15 2 * * *", ...lordHoweForward)).toEqual(["15:45:00"]);
  expect(runs(shiftingScheduler, "30 2 * * *", ...berlinBack)).toEqual(["00:30:00"]);
  expect(runs(shiftingScheduler, "0 0 * * *", ...saoPaulo)).toEqual(["03T03:00:00", "04T03:00:00", "05T02:00:00"]);
});

test("R17: a slot is where all of them run: not at a skipped time, the first time where it comes twice", () => {
  expect(runs(agreedSlots, "30 2 * * *", ...berlinForward)).toEqual([]);
  expect(runs(agreedSlots, "30 2 * * *", ...berlinBack)).toEqual(["00:30:00"]);
  expect(runs(agreedSlots, "*/30 1-3 * * *", ...berlinForward)).toEqual([
    ...["00:00:00", "00:30:00"],
    ...["01:00:00", "01:30:00"],
  ]);
  expect(runs(agreedSlots, "45 1 * * *", ...lordHoweBack)).toEqual(["14:45:00"]);
  expect(runs(agreedSlots, "0 0 * * *", ...saoPaulo)).toEqual(["03T03:00:00", "05T02:00:00"]);
});
