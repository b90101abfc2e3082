// Gaps found from two clocks, and kept apart (R26): what counts as one, where it begins, and that they never overlap.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type FoundGap, gapBetween, gapSince, goesOn, type Look, uncovered } from "../../src/domain/gap.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";

const NOON = Date.UTC(2026, 2, 2, 12);
const LAST: Look = { at: NOON, monotonic: 1_000 };

const later = (wall: number, monotonic: number): Look => ({ at: NOON + wall, monotonic: LAST.monotonic + monotonic });

test("R26: a second between two looks is no gap, nor are five", () => {
  expect(gapBetween(LAST, later(SECOND, SECOND))).toBeNull();
  expect(gapBetween(LAST, later(5 * SECOND, 5 * SECOND))).toBeNull();
});

test("R26: a process that stood still for more than five seconds missed that span, from just after its last look", () => {
  expect(gapBetween(LAST, later(20 * SECOND, 20 * SECOND))).toEqual({
    from: NOON + 1,
    to: NOON + 20 * SECOND,
    reason: "stalled",
  });
});

test("R26: a suspended computer whose monotonic clock stood still too is seen by its wall clock", () => {
  expect(gapBetween(LAST, later(8 * MINUTE, SECOND))).toEqual({
    from: NOON + 1,
    to: NOON + 8 * MINUTE,
    reason: "clock",
  });
});

test("R26: a clock that jumped forward by more than five seconds makes a gap, by five it does not", () => {
  expect(gapBetween(LAST, later(6 * SECOND, 0))?.to).toBe(NOON + 6 * SECOND);
  expect(gapBetween(LAST, later(6 * SECOND, SECOND))).toBeNull();
});

test("R26: a clock that was set back makes no gap by itself", () => {
  expect(gapBetween(LAST, later(-60 * MINUTE, SECOND))).toBeNull();
});

test("R26: who stood still while the clock was set back missed the span by both of its dates", () => {
  expect(gapBetween(LAST, later(-60 * MINUTE, 20 * SECOND))).toEqual({
    from: NOON - 60 * MINUTE - 20 * SECOND + 1,
    to: NOON,
    reason: "stalled",
  });
});

test("R26: at start the gap begins after the last instant the process before was alive", () => {
  expect(gapSince(NOON, NOON + MINUTE)).toEqual({ from: NOON + 1, to: NOON + MINUTE, reason: "stopped" });
});

test("R26: a start whose clock stands before that instant is a gap between the two", () => {
  expect(gapSince(NOON, NOON - MINUTE)).toEqual({ from: NOON - MINUTE, to: NOON, reason: "stopped" });
});

test("R26: a gap that begins within a minute of another goes on with it, as long as both together are short", () => {
  const gap = { from: NOON, to: NOON + MINUTE };
  expect(goesOn(gap, { from: NOON + 2 * MINUTE, to: NOON + 3 * MINUTE })).toBe(true);
  expect(goesOn(gap, { from: NOON + 2 * MINUTE + 1, to: NOON + 3 * MINUTE })).toBe(false);
  expect(goesOn(gap, { from: NOON + 2 * MINUTE, to: NOON + 15 * MINUTE })).toBe(true);
  expect(goesOn(gap, { from: NOON + 2 * MINUTE, to: NOON + 15 * MINUTE + 1 })).toBe(false);
});

const span = fc
  .tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 40 }))
  .map(([from, length]): FoundGap => ({ from, to: from + length, reason: "stalled" }));

const instantsOf = (gaps: readonly FoundGap[]): number[] =>
  gaps.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, place) => from + place));

test("gaps that are added one by one never overlap, and cover just what was added", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      let kept: FoundGap[] = [];
      for (const added of spans) kept = [...kept, ...uncovered(kept, added)].sort((a, b) => a.from - b.from);
      const covered = instantsOf(kept);
      expect(new Set(covered).size).toBe(covered.length);
      expect(new Set(covered)).toEqual(new Set(instantsOf(spans)));
    }),
  );
});
