// What counts as a failure is drawn as one: no shape, bar or word of a success.

import { describe, expect, test } from "bun:test";
import { OUTCOMES, type Outcome, RUN_OUTCOMES, type RunOutcome, reportInWords } from "../../src/views/outcomes.ts";
import type { TimelineEntry } from "../../src/views/timeline.ts";
import { drawingOf } from "../../src/web/day/marks.ts";
import { laneSummary, linesOf } from "../../src/web/day/words.ts";
import { shapeOf } from "../../src/web/parts/shapes.tsx";
import { Strip } from "../../src/web/parts/strip.tsx";

const ALL = Object.keys(OUTCOMES) as Outcome[];
const BAD = ALL.filter((outcome) => OUTCOMES[outcome].tone === "bad");

test("R21, R23, R27: what counts as a failure or a miss is bad, and nothing else is", () => {
  const counted = ALL.filter((outcome) => ["failed", "missed"].includes(OUTCOMES[outcome].counted ?? ""));
  expect(BAD).toEqual(counted);
  expect(BAD).toEqual(["failed", "wrong", "unfinished", "overran", "missed"]);
});

test("no bad outcome has the shape of a success, and the success alone has it", () => {
  expect(ALL.filter((outcome) => shapeOf(outcome) === "healthy")).toEqual(["succeeded"]);
  expect(BAD.map(shapeOf)).toEqual(BAD.map(() => "critical"));
});

/** What a row of the day has: a slot, or a run without one. */
const OF_ENTRIES = ALL.filter((outcome) => !["quiet", "unwatched"].includes(outcome)) as TimelineEntry["outcome"][];
const CLOCK = { moment: () => "10:00", between: () => "10:00" } as unknown as Parameters<typeof linesOf>[1];

describe.each(OF_ENTRIES)("a slot or run that is %p", (outcome) => {
  const isOfRun = RUN_OUTCOMES.some((one) => one === outcome);
  const run = isOfRun ? { from: 10_000, to: 20_000, outcome: outcome as RunOutcome } : null;
  const entry = { at: 10_000, outcome, slot: { reportAt: run?.to ?? null, heardAt: null }, run };

  test("is said on the day in the words of the one dictionary, alone and among others", () => {
    expect(linesOf({ entries: [entry] }, CLOCK)[0]!.text).toContain(OUTCOMES[outcome].says);
    const many = Array.from({ length: 50 }, (_, place) => ({ ...entry, at: entry.at + place }));
    expect(linesOf({ entries: many }, CLOCK)[0]!.text).toContain(`50 ${OUTCOMES[outcome].word}`);
  });

  test("is not passed over in a row's two words", () => {
    expect(laneSummary({ entries: [entry], isThinned: false }, "nothing due").text).not.toBe("nothing due");
  });
});

describe.each(RUN_OUTCOMES.filter((outcome) => BAD.includes(outcome)))("a run that is %p", (outcome) => {
  const run = { from: 10_000, to: 20_000, outcome };
  const entry = { at: 10_000, outcome, slot: { reportAt: 20_000, heardAt: null }, run };

  test("is no success among the bars of a list", () => {
    const strip = String(Strip({ runs: [{ at: 20_000, outcome, milliseconds: 10_000 }] }));
    expect(strip).not.toMatch(/bar-(succeeded|warned)/);
    expect(strip).not.toMatch(/ well/);
  });

  test("is no success on the day, drawn or said", () => {
    const { paths } = drawingOf({ runs: [run], entries: [entry], maintenance: [] }, { from: 0, to: 60_000 });
    expect(paths.map(([name]) => name)).not.toContain("bar-succeeded");
    const summary = laneSummary({ entries: [entry], isThinned: false });
    expect(summary.isTrouble).toBe(true);
    expect(summary.text).not.toMatch(/in time|report|well/);
    expect(linesOf({ entries: [entry] }, CLOCK)[0]!.text).not.toMatch(/, in time|succeeded|reported| well/);
  });

  test("is said of its report", () => {
    const report = { kind: "complete", outcome, durationSeconds: 10, durationMilliseconds: null } as const;
    expect(reportInWords(report)).not.toMatch(/succeeded|reported$/i);
  });
});
