// The day before it is a page: where instants stand, what is drawn and said of a row, and which minutes are busy.

import { describe, expect, test } from "bun:test";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { JudgedSlot } from "../../src/views/slot-results.ts";
import { type TimelineRun, timelineEntries } from "../../src/views/timeline.ts";
import {
  axisClockWords,
  dayAxisPosition,
  dayClockChanges,
  earlierAndLaterQuery,
  spanOf,
  ticksOf,
} from "../../src/web/day/axis.ts";
import { busyMinutesOf } from "../../src/web/day/busy-minutes.ts";
import { drawingOf, WIDE } from "../../src/web/day/marks.ts";
import { dayPath, readDayQuery } from "../../src/web/day/query.ts";
import { dayLinesOf, rowSummary } from "../../src/web/day/words.ts";
import { throttledOnChange } from "../../src/web/live/live.ts";
import { NOON } from "../support/engine.ts";

const NOW = NOON + 20 * MINUTE;
const TODAY = readDayQuery(new URLSearchParams(), NOW);
const SPAN = spanOf(TODAY, NOW);
const BERLIN = axisClockWords("Europe/Berlin", NOW);

/** A row's past: slots with their results, and runs. */
function row(
  slots: readonly [at: Instant, result: JudgedSlot["result"], reportAt?: Instant][],
  runs: TimelineRun[] = [],
) {
  const results = slots.map(([slot, result, reportAt = null]) => ({ slot, result, reportAt }) as JudgedSlot);
  return { slots: results, runs, isThinned: false };
}

/**
 * Slots so far apart from this one on, each with a report `after` it that ended a run of a minute, or has no length.
 */
function regular(from: Instant, apart: number, count: number, length: number | null = MINUTE) {
  const slots = Array.from({ length: count }, (_, place) => from + place * apart);
  const runs = slots.map(
    (slot): TimelineRun => ({
      from: length === null ? null : slot + SECOND,
      to: slot + SECOND + (length ?? 0),
      result: "succeeded",
    }),
  );
  return row(
    slots.map((slot) => [slot, "succeeded", slot + SECOND]),
    runs,
  );
}

/** As a timeline has it. */
const drawable = ({ slots, runs, isThinned }: ReturnType<typeof row>) => ({
  runs,
  isThinned,
  entries: timelineEntries(slots, runs, isThinned),
  maintenance: [],
});

const lines = (of: ReturnType<typeof row>): string[] => dayLinesOf(drawable(of), BERLIN).map(({ text }) => text);
const drawn = (of: ReturnType<typeof row>) => drawingOf(drawable(of), SPAN);
const path = (of: ReturnType<typeof row>, name: string): string =>
  drawn(of).paths.find(([one]) => one === name)?.[1] ?? "";

describe("the axis", () => {
  test("goes from 24 hours ago to 12 hours ahead, and moves on with the hours alone", () => {
    expect(SPAN).toEqual({ from: NOON - DAY, to: NOON + 13 * HOUR });
    expect(spanOf(TODAY, NOON + 59 * MINUTE)).toEqual(SPAN);
    expect(spanOf({ ...TODAY, span: "week" }, NOW)).toEqual({ from: NOON - 7 * DAY, to: NOON + DAY + HOUR });
  });

  test("is led a day or a week earlier and later, and back to now", () => {
    const { earlier } = earlierAndLaterQuery(TODAY, NOW);
    expect(dayPath(earlier)).toBe("/day?until=2026-03-02T01%3A00Z");
    expect(earlierAndLaterQuery(earlier, NOW).later.until).toBeNull();
    expect(spanOf(earlierAndLaterQuery({ ...TODAY, span: "week" }, NOW).later, NOW).from).toBe(NOON);
  });

  test("is zoomed into an hour, or what else is chosen to five minutes, and led on by its own length", () => {
    const read = (search: string) => readDayQuery(new URLSearchParams(search), NOW);
    expect(spanOf(read("span=hour"), NOW)).toEqual({ from: NOON, to: NOON + HOUR });
    const zoomed = read("span=hour&from=2026-03-02T08:31Z&until=2026-03-02T10:04Z");
    expect(spanOf(zoomed, NOW)).toEqual({ from: NOON - 3.5 * HOUR, to: NOON - 115 * MINUTE });
    expect(dayPath(earlierAndLaterQuery(zoomed, NOW).later)).toBe(
      "/day?span=hour&from=2026-03-02T10%3A05Z&until=2026-03-02T11%3A40Z",
    );
    const least = read("span=hour&from=2026-03-02T10:01Z&until=2026-03-02T10:04Z");
    expect(least.until! - least.from!).toBe(15 * MINUTE);
    const most = read("span=hour&from=2026-01-02T10:01Z&until=2026-03-02T10:04Z");
    expect(most.until! - most.from!).toBe(2 * DAY);
    expect([read("from=2026-03-02T08:31Z").from, read("span=hour&from=2026-03-02T08:31Z").from]).toEqual([null, null]);
  });

  test("puts instants between its ends, and those outside at them", () => {
    expect([SPAN.from, NOON - 5.5 * HOUR, SPAN.to, 0, NOON + DAY].map((at) => dayAxisPosition(at, SPAN))).toEqual([
      0, 0.5, 1, 0, 1,
    ]);
  });

  test("has ticks at the hours and midnights of the viewer's zone", () => {
    const ticks = ticksOf(SPAN, "Asia/Kolkata");
    const kolkata = axisClockWords("Asia/Kolkata", NOW);
    expect(ticks.map(({ at, kind }) => `${kolkata.time(at)} ${kind}`)).toEqual(
      "18 21 00 03 06 09 12 15 18 21 00 03 06"
        .split(" ")
        .map((hour) => `${hour}:00 ${hour === "00" ? "day" : Number(hour) % 6 === 0 ? "hour" : "fine"}`),
    );
  });

  test("has an hour twice where clocks are set back, and marks the change once for all zones that share it", () => {
    const autumn = { from: Date.UTC(2026, 9, 24, 12), to: Date.UTC(2026, 9, 25, 12) };
    const ticks = ticksOf(autumn, "Europe/Berlin");
    expect(ticks.map(({ at }) => (at - autumn.from) / HOUR)).toEqual([1, 4, 7, 10, 14, 17, 20, 23]);
    expect(dayClockChanges(autumn, ["Europe/Berlin", "UTC", "Europe/Paris", "Europe/London", "Europe/Berlin"])).toEqual(
      [
        { at: Date.UTC(2026, 9, 25, 1), before: 2 * HOUR, after: HOUR, zones: ["Europe/Berlin", "Europe/Paris"] },
        { at: Date.UTC(2026, 9, 25, 1), before: HOUR, after: 0, zones: ["Europe/London"] },
      ],
    );
  });
});

describe("the address", () => {
  test("says all that is not as usual, and is understood again", () => {
    const query = {
      span: "week",
      from: null,
      until: NOON,
      show: "trouble",
      find: "a b",
      app: "prod",
      page: 3,
    } as const;
    const path = dayPath(query);
    expect(path).toBe("/day?span=week&until=2026-03-02T12%3A00Z&show=trouble&find=a+b&app=prod&page=3");
    expect(readDayQuery(new URL(path, "http://localhost").searchParams, NOW)).toEqual(query);
    expect(dayPath(TODAY)).toBe("/day");
  });

  test.each([
    "until=yesterday",
    "until=9999-01-01",
    "until=1999-01-01",
    "until=",
    "span=year&show=none&page=-1",
    "page=1.5",
    "page=1e9",
  ])("leaves out what is not understood: %s", (search) => {
    expect(readDayQuery(new URLSearchParams(search), NOW)).toEqual(TODAY);
  });
});

describe("what is drawn", () => {
  test("is a bar for each run, as long as it took, and never too short to be seen", () => {
    const of = row(
      [],
      [
        { from: NOON - HOUR, to: NOON, result: "succeeded" },
        { from: NOON, to: NOON + 1, result: "failed" },
      ],
    );
    expect(path(of, "bar-succeeded")).toBe("M2486 7h109v14h-109z");
    expect(path(of, "bar-failed")).toBe("M2595 3h10v22h-10z");
  });

  test("is one band for a job of every minute, and no larger than for one of a few hours", () => {
    const busy = regular(NOON - DAY, MINUTE, 1_460);
    expect(path(busy, "bar-succeeded")).toMatch(/^M0 7h26\d\dv14h-26\d\dz$/);
    expect(JSON.stringify(drawn(busy)).length).toBeLessThan(200);
    const changing = row(busy.slots.map(({ slot }, place) => [slot, place % 2 === 0 ? "missed" : "unknown"]));
    expect(JSON.stringify(drawn(changing)).length).toBeLessThan(200_000);
  });

  test("marks reports without a length, and draws bars where the marks would touch", () => {
    expect(drawn(regular(NOON - 8 * HOUR, HOUR, 8, null)).marks.map(({ kind }) => kind)).toEqual(
      Array(8).fill("report"),
    );
    expect(drawn(regular(NOON - 8 * HOUR, 5 * MINUTE, 96, null)).marks).toEqual([]);
  });

  test("marks each missed slot, and many in a row by one mark and a band", () => {
    const far = row([0, 1, 2].map((hour) => [NOON - (3 - hour) * HOUR, "missed"]));
    expect(drawn(far).marks).toHaveLength(3);
    const near = row(Array.from({ length: 30 }, (_, place) => [NOON - (30 - place) * MINUTE, "missed"]));
    expect(drawn(near).marks).toEqual([{ kind: "missed", percent: expect.closeTo((23.5 / 37) * 100, 1) }]);
    expect(path(near, "band-missed")).toMatch(/^M\d+ 10h\d+v8h-\d+z$/);
  });

  test("stays inside the row", () => {
    const of = row(
      [],
      [
        { from: SPAN.from - DAY, to: SPAN.to + DAY, result: "running" },
        { from: 0, to: 1, result: "succeeded" },
      ],
    );
    expect(drawn(of).paths).toEqual([["bar-running", `M0 7h${WIDE}v14h-${WIDE}z`]]);
    expect(path(row([], [{ from: null, to: SPAN.to, result: "failed" }]), "bar-failed")).toStartWith(`M${WIDE - 10} `);
  });
});

describe("what is said", () => {
  test("is the story of each slot, in the viewer's zone", () => {
    const of = row(
      [
        [NOON - 13 * HOUR, "succeeded", NOON - 13 * HOUR - 5 * SECOND],
        [NOON - 5 * HOUR, "succeeded", NOON - 5 * HOUR + SECOND],
        [NOON - 4 * HOUR, "missed", NOON - 4 * HOUR + 72 * MINUTE],
        [NOON - 3 * HOUR, "succeeded", NOON - 3 * HOUR + 2 * MINUTE],
        [NOON - 2 * HOUR, "missed"],
        [NOON - HOUR, "unknown"],
        [NOON, "late"],
        [NOON + HOUR, "expected"],
        [NOON + 2 * HOUR, "expected"],
      ],
      [
        { from: null, to: NOON - 13 * HOUR - 5 * SECOND, result: "succeeded" },
        { from: NOON - 5 * HOUR + SECOND, to: NOON - 5 * HOUR + 41 * SECOND, result: "succeeded" },
        { from: NOON - 3 * HOUR + 2 * MINUTE, to: NOON - 3 * HOUR + 3 * MINUTE, result: "failed" },
        { from: null, to: NOON - 150 * MINUTE, result: "succeeded" },
      ],
    );
    expect(lines(of)).toEqual([
      "00:00 reported, 5 s early",
      "08:00 succeeded after 40 s, in time",
      "09:00 missed: nothing came in time; it came at 10:12, 1 h 12 min late",
      "10:00 failed after 1 min",
      "10:30 reported",
      "11:00 missed: nothing came",
      "12:00 unknown: rollcall could not hear",
      "13:00 late: nothing has come yet",
      "14:00 to 15:00: 2 expected",
    ]);
    expect(rowSummary(drawable(of))).toEqual({ text: "1 failed, 2 missed", isTrouble: true });
  });

  test("R43: counts no slot that a run covered among those that went well", () => {
    const of = row([
      [NOON - 5 * HOUR, "succeeded"],
      [NOON - 4 * HOUR, "covered"],
    ]);
    expect(rowSummary(drawable(of)).text).toBe("1 well, 1 under a run from before");
    expect(rowSummary(drawable({ ...of, isThinned: true })).text).toBe("none missed");
  });

  test("R43: says when a report was heard that came late", () => {
    const late = { reportAt: NOON - 5 * HOUR + SECOND, heardAt: NOON + 13 * MINUTE };
    const of = row([
      [NOON - 5 * HOUR, "succeeded"],
      [NOON - 4 * HOUR, "missed"],
    ]);
    const slots = [
      { ...of.slots[0]!, ...late },
      { ...of.slots[1]!, ...late, reportAt: NOON - 3 * HOUR },
    ];
    expect(lines({ ...of, slots })).toEqual([
      "08:00 reported, in time, heard at 13:13",
      "09:00 missed: nothing came in time; it ran at 10:00, 1 h late, heard at 13:13",
    ]);
  });

  test("is one sentence for many of a kind in a row, so that trouble stands out", () => {
    const of = regular(NOON - DAY, 5 * MINUTE, 289);
    const slots = of.slots.map((slot, place) => (place === 100 ? { ...slot, result: "missed", reportAt: null } : slot));
    const runs = of.runs.filter((_, place) => place !== 100);
    expect(lines({ ...of, slots: slots as JudgedSlot[], runs })).toEqual([
      "Sun 13:00 to 21:15: 100 well, took 1 min",
      "Sun 21:20 missed: nothing came",
      "Sun 21:25 to 13:00: 188 well, took 1 min",
    ]);
  });

  test("leaves out the runs of slots that are left out, where there are too many", () => {
    const of = regular(NOON - 2 * HOUR, MINUTE, 120);
    const thinned = { ...of, slots: of.slots.filter((_, place) => place % 2 === 0), isThinned: true };
    expect(lines(thinned)).toEqual(["11:00 to 12:58: 60 well, took 1 min"]);
  });

  test("names the day where it is not today, and the date where the weekday would mislead", () => {
    const moments = [NOON, NOON - DAY, NOON - 7 * DAY, NOON + 10 * SECOND].map((at) => BERLIN.moment(at));
    expect(moments).toEqual(["13:00", "Sun 13:00", "Mon 23 Feb 13:00", "13:00:10"]);
  });

  test.each([
    ["nothing due", false, null],
    ["1 well", false, "succeeded"],
    ["late", false, "late"],
    ["paused", false, "paused"],
    ["silent", false, "silent"],
    ["to come", false, "expected"],
    ["1 unknown", false, "unknown"],
  ] as const)("in two words: %s", (text, isTrouble, result) => {
    const of = row(result === null ? [] : [[NOON, result]]);
    expect(rowSummary(drawable(of))).toEqual({ text, isTrouble });
  });
});

describe("busy minutes", () => {
  const job = (name: string, schedule: string | null, timezone = "UTC") => ({ key: name, name, schedule, timezone });
  const busyMinutes = (jobs: ReturnType<typeof job>[]) => wholeOf(busyMinutesOf(jobs, SPAN, 37, NOW));

  test("are those to come in which most jobs start, with the rarest of them named", () => {
    const nightly = ["Backup", "Rotation", "Report", "Index"].map((name) => job(name, "0 1 * * *", "Europe/Berlin"));
    const { minutes, starts } = busyMinutes([job("Beat", "* * * * *"), job("None", null), ...nightly]);
    expect(minutes).toEqual([{ at: NOON + 12 * HOUR, jobs: 5, names: ["Backup", "Rotation", "Report"] }]);
    expect([starts[12], starts[13], starts[36]]).toEqual([5, 1, 5]);
  });

  test("are none where starts are evenly spread", () => {
    const spread = Array.from({ length: 60 }, (_, minute) => job(`${minute}`, `${minute} * * * *`));
    expect(busyMinutes(spread).minutes).toEqual([]);
    const { minutes } = busyMinutes([...spread, ...["a", "b", "c", "d"].map((name) => job(name, "30 18 * * *"))]);
    expect(minutes).toEqual([{ at: NOON + 6.5 * HOUR, jobs: 5, names: ["a", "b", "c"] }]);
  });

  test("count a job of every second once in a minute", () => {
    expect(new Set(busyMinutes([job("Second", "* * * * * *")]).starts)).toEqual(new Set([1]));
  });
});

test("changes that follow one another quickly wake a page once, after a rest; none is lost", () => {
  let now = 0;
  let change = (): void => {};
  let later: { at: number; run: () => void } | null = null;
  let [woken, ended] = [0, 0];
  const parts = {
    clock: { now: () => now, monotonic: () => now },
    after: (milliseconds: number, run: () => void) => {
      later = { at: now + milliseconds, run };
      return () => {
        later = null;
      };
    },
  };
  const onChange = (wake: () => void) => {
    change = wake;
    return () => void ended++;
  };
  const end = throttledOnChange(onChange, 3_000, parts)(() => void woken++);
  const wakes: number[] = [];
  for (now = 0; now < 10_000; now += 500) {
    if (later !== null && (later as { at: number }).at <= now) (later as { run: () => void }).run();
    if (now < 7_000) change();
    wakes.push(woken);
  }
  expect(wakes.filter((_, place) => place % 2 === 0)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 4]);
  change();
  change();
  end();
  expect([later, ended]).toEqual([null, 1]);
});
