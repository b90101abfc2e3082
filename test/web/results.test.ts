// What counts as a failure is drawn as one: no shape, bar or word of a success.

import { describe, expect, test } from "bun:test";
import { RESULTS, type Result, RUN_RESULTS, type RunResult, reportInWords } from "../../src/domain/wording/results.ts";
import type { TimelineEntry } from "../../src/views/timeline.ts";
import { drawingOf } from "../../src/web/day/marks.ts";
import { dayLinesOf, rowSummary } from "../../src/web/day/words.ts";
import { shapeOf } from "../../src/web/parts/shapes.tsx";
import { Strip } from "../../src/web/parts/strip.tsx";

const ALL = Object.keys(RESULTS) as Result[];
const BAD = ALL.filter((result) => RESULTS[result].tone === "bad");

test("R21, R23, R27: what counts as a failure or a miss is bad, and nothing else is", () => {
  const counted = ALL.filter((result) => ["failed", "missed"].includes(RESULTS[result].counted ?? ""));
  expect(BAD).toEqual(counted);
  expect(BAD).toEqual(["failed", "wrong", "unfinished", "overran", "missed"]);
});

test("no bad result has the shape of a success, and the success alone has it", () => {
  expect(ALL.filter((result) => shapeOf(result) === "healthy")).toEqual(["succeeded"]);
  expect(BAD.map(shapeOf)).toEqual(BAD.map(() => "critical"));
});

/** What a row of the day has: a slot, or a run without one. */
const OF_ENTRIES = ALL.filter((result) => !["quiet", "unwatched"].includes(result)) as TimelineEntry["result"][];
const CLOCK = { moment: () => "10:00", between: () => "10:00" } as unknown as Parameters<typeof dayLinesOf>[1];

describe.each(OF_ENTRIES)("a slot or run that is %p", (result) => {
  const isOfRun = RUN_RESULTS.some((one) => one === result);
  const run = isOfRun ? { from: 10_000, to: 20_000, result: result as RunResult } : null;
  const entry = { at: 10_000, result, slot: { reportAt: run?.to ?? null, heardAt: null }, run };

  test("is said on the day in the words of the one dictionary, alone and among others", () => {
    expect(dayLinesOf({ entries: [entry] }, CLOCK)[0]!.text).toContain(RESULTS[result].says);
    const many = Array.from({ length: 50 }, (_, place) => ({ ...entry, at: entry.at + place }));
    expect(dayLinesOf({ entries: many }, CLOCK)[0]!.text).toContain(`50 ${RESULTS[result].word}`);
  });

  test("is not passed over in a row's two words", () => {
    expect(rowSummary({ entries: [entry], isThinned: false }, "nothing due").text).not.toBe("nothing due");
  });
});

describe.each(RUN_RESULTS.filter((result) => BAD.includes(result)))("a run that is %p", (result) => {
  const run = { from: 10_000, to: 20_000, result };
  const entry = { at: 10_000, result, slot: { reportAt: 20_000, heardAt: null }, run };

  test("is no success among the bars of a list", () => {
    const strip = String(Strip({ runs: [{ at: 20_000, result, milliseconds: 10_000 }] }));
    expect(strip).not.toMatch(/bar-(succeeded|warned)/);
    expect(strip).not.toMatch(/ well/);
  });

  test("is no success on the day, drawn or said", () => {
    const { paths } = drawingOf({ runs: [run], entries: [entry], maintenance: [] }, { from: 0, to: 60_000 });
    expect(paths.map(([name]) => name)).not.toContain("bar-succeeded");
    const summary = rowSummary({ entries: [entry], isThinned: false });
    expect(summary.isTrouble).toBe(true);
    expect(summary.text).not.toMatch(/in time|report|well/);
    expect(dayLinesOf({ entries: [entry] }, CLOCK)[0]!.text).not.toMatch(/, in time|succeeded|reported| well/);
  });

  test("is said of its report", () => {
    const report = { kind: "complete", outcome: result, durationSeconds: 10, durationMilliseconds: null } as const;
    expect(reportInWords(report)).not.toMatch(/succeeded|reported$/i);
  });
});
