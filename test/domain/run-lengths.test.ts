// How long runs take: weeks by their medians, looked at once a day, and when a job counts as getting slow.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { medianOf, type RunWeek, usualLength, weeksWith } from "../../src/domain/monitor/run-lengths.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { slowerInShort, slowerInWords } from "../../src/domain/wording/run-length-words.ts";
import { propertyRuns } from "../support/property-runs.ts";

const MONDAY = Date.parse("2026-03-02T00:00:00Z");
const WEEK = 7 * DAY;

const run = (at: number, milliseconds: number | null, result = "succeeded") => ({ at, milliseconds, result });

/** Weeks with these medians, the last from Monday on. */
const weeksOf = (...medians: number[]): RunWeek[] =>
  medians.map((medianMs, place) => ({ from: MONDAY - (medians.length - 1 - place) * WEEK, runs: 7, medianMs }));

describe("weeks", () => {
  test("begin on Monday, and count runs that succeeded and whose length is known", () => {
    const runs = [
      run(MONDAY - 1, 50 * SECOND),
      run(MONDAY, 10 * SECOND),
      run(MONDAY + DAY, 30 * SECOND),
      run(MONDAY + 2 * DAY, 20 * SECOND),
      run(MONDAY + 3 * DAY, 1, "failed"),
      run(MONDAY + 4 * DAY, null),
    ];
    expect(weeksWith([], runs, MONDAY + 5 * DAY)).toEqual([
      { from: MONDAY - WEEK, runs: 1, medianMs: 50 * SECOND },
      { from: MONDAY, runs: 3, medianMs: 20 * SECOND },
    ]);
  });

  test("of which only the last runs are looked at stay as they were known; those of 13 weeks ago go", () => {
    const kept = [{ from: MONDAY - 13 * WEEK, runs: 7, medianMs: 1 }, ...weeksOf(60_000, 70_000)];
    const looked = [run(MONDAY - 1, 5), run(MONDAY + HOUR, 80_000), run(MONDAY + HOUR, 90_000)];
    expect(weeksWith(kept, looked, MONDAY + 2 * HOUR)).toEqual([
      ...weeksOf(60_000, 70_000).slice(0, 1),
      { from: MONDAY, runs: 2, medianMs: 90_000 },
    ]);
  });

  test("are the same however often they are looked at, where each look reaches back to the one before", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 10 * HOUR }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 9 }), (of, every) => {
        const runs = of.map((length, place) => run(MONDAY + place * DAY, length));
        const end = MONDAY + of.length * DAY;
        let weeks: readonly RunWeek[] = [];
        for (let seen = every; seen < runs.length + every; seen += every) {
          weeks = weeksWith(weeks, runs.slice(0, seen).slice(-7 - every), MONDAY + Math.min(seen, runs.length) * DAY);
        }
        expect(weeks).toEqual(weeksWith([], runs, end));
        for (const { from, medianMs } of weeks) {
          const ofWeek = runs.filter(({ at }) => at >= from && at < from + WEEK);
          expect(medianMs).toBe(medianOf(ofWeek.map(({ milliseconds }) => milliseconds!))!);
        }
      }),
      propertyRuns(200),
    );
  });
});

describe("a job is getting slow", () => {
  test.each([
    ["grown fivefold in three weeks", [4.2, 4, 9, 14, 22], { times: 5.5, weeks: 3 }, "↗ 6× in 3 weeks"],
    ["half as long again in a week", [10, 15], { times: 1.5, weeks: 1 }, "↗ 1.5× in a week"],
    ["counted from the last week that was short", [4, 4.2, 4, 8], { times: 2, weeks: 1 }, "↗ 2× in a week"],
  ])("%s", (_, minutes, slower, short) => {
    const usual = usualLength(weeksOf(...minutes.map((count) => count * MINUTE)))!;
    expect(usual.usualMs).toBe(minutes.at(-1)! * MINUTE);
    expect(usual.slower).toEqual(slower);
    expect(slowerInShort(usual.slower!)).toBe(short);
  });

  test("not by a little, not by seconds, and not where it became quicker", () => {
    for (const minutes of [[10, 14], [20, 10], [5], [0.01, 0.1]]) {
      expect(usualLength(weeksOf(...minutes.map((count) => count * MINUTE)))!.slower).toBeNull();
    }
    const none = usualLength(weeksOf(0, 0, 20 * SECOND))!.slower!;
    expect(slowerInWords(none)).toBe("20 times as long as a week ago");
    const once = weeksOf(3 * MINUTE, 9 * MINUTE).map((week) => ({ ...week, runs: 1 }));
    expect(usualLength(once)).toEqual({ usualMs: 9 * MINUTE, slower: null });
    expect(usualLength([])).toBeNull();
  });

  test("in words", () => {
    expect(slowerInWords({ times: 5.4, weeks: 3 })).toBe("5 times as long as 3 weeks ago");
    expect(slowerInWords({ times: 1.52, weeks: 1 })).toBe("1.5 times as long as a week ago");
  });
});
