// Gaps found from two clocks, and kept apart (R26): what counts as one, where it begins, and that they never overlap.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type ClockLook,
  type FoundGap,
  gapBetween,
  gapSince,
  joinedGaps,
  oneGap,
  uncoveredParts,
} from "../../src/domain/monitor/gap.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";

const NOON = Date.UTC(2026, 2, 2, 12);
const LAST: ClockLook = { at: NOON, monotonic: 1_000 };

const later = (wall: number, monotonic: number): ClockLook => ({
  at: NOON + wall,
  monotonic: LAST.monotonic + monotonic,
});

test("R26: a second between two looks is no gap, nor are five", () => {
  expect(gapBetween(LAST, later(SECOND, SECOND))).toBeNull();
  expect(gapBetween(LAST, later(5 * SECOND, 5 * SECOND))).toBeNull();
});

test("R26: a process that stood still for more than five seconds missed that span, from just after its last look", () => {
  expect(gapBetween(LAST, later(20 * SECOND, 20 * SECOND))).toEqual(oneGap(NOON + 1, NOON + 20 * SECOND, "stalled"));
});

test("R26: a suspended computer whose monotonic clock stood still too is seen by its wall clock", () => {
  expect(gapBetween(LAST, later(8 * MINUTE, SECOND))).toEqual(oneGap(NOON + 1, NOON + 8 * MINUTE, "clock"));
});

test("R26: a clock that jumped forward by more than five seconds makes a gap, by five it does not", () => {
  expect(gapBetween(LAST, later(6 * SECOND, 0))?.to).toBe(NOON + 6 * SECOND);
  expect(gapBetween(LAST, later(6 * SECOND, SECOND))).toBeNull();
});

test("R26: a clock that was set back makes no gap by itself", () => {
  expect(gapBetween(LAST, later(-60 * MINUTE, SECOND))).toBeNull();
});

test("R26: who stood still while the clock was set back missed the span by both of its dates", () => {
  expect(gapBetween(LAST, later(-60 * MINUTE, 20 * SECOND))).toEqual(
    oneGap(NOON - 60 * MINUTE - 20 * SECOND + 1, NOON, "stalled"),
  );
});

test("R26: at start the gap begins after the last instant the process before was alive", () => {
  expect(gapSince(NOON, NOON + MINUTE, "stopped")).toEqual(oneGap(NOON + 1, NOON + MINUTE, "stopped"));
});

test("R26: a start whose clock stands before that instant is a gap between the two", () => {
  expect(gapSince(NOON, NOON - MINUTE, "stopped")).toEqual(oneGap(NOON - MINUTE, NOON, "stopped"));
});

const outage = (from: number, to: number, reason: FoundGap["reason"] = "stopped"): FoundGap =>
  oneGap(NOON + from, NOON + to - 1, reason);

/** What becomes of outages that are found one after the other. */
function found(...outages: FoundGap[]): readonly FoundGap[] {
  let gaps: readonly FoundGap[] = [];
  for (const piece of outages) gaps = [...gaps.slice(0, -1), ...joinedGaps(gaps.at(-1), piece)];
  return gaps;
}

test("R26: what begins within less than a minute goes on with the gap, however long either is, and is told as what it was", () => {
  const first = outage(0, 2 * MINUTE);
  expect(found(first, outage(2 * MINUTE + 30 * SECOND, 3 * MINUTE))).toEqual([
    {
      from: NOON,
      to: NOON + 3 * MINUTE - 1,
      reason: "stopped",
      outages: 2,
      silentMs: 150 * SECOND,
      silentTo: NOON + 3 * MINUTE - 1,
      joinsUntil: first.joinsUntil,
      lastFrom: NOON + 150 * SECOND,
    },
  ]);
  expect(found(first, outage(3 * MINUTE - 1, 4 * MINUTE))).toHaveLength(2);
  expect(found(outage(0, 120 * MINUTE), outage(120 * MINUTE + 50 * SECOND, 126 * MINUTE))).toHaveLength(1);
  expect(found(first, outage(150 * SECOND, 160 * SECOND, "stalled"))).toMatchObject([{ reason: "several" }]);
});

test("R26: the same outage that lasts longer is no second one", () => {
  const storage = (from: number, to: number): FoundGap => outage(from, to, "storage");
  expect(found(storage(0, MINUTE), storage(MINUTE, 40 * MINUTE))).toMatchObject([
    { outages: 1, silentMs: 40 * MINUTE, reason: "storage" },
  ]);
});

test("R26: a crash loop is one gap for some 13 minutes; that is told then, and what follows excuses nothing", () => {
  const loop = Array.from({ length: 45 }, (_, n) => outage(n * 53 * SECOND, n * 53 * SECOND + 8 * SECOND));
  const gaps = found(...loop);
  expect(gaps).toMatchObject([
    { from: NOON, outages: 15, silentMs: 15 * 8 * SECOND, excuses: "closed" },
    { outages: 30, excuses: "nothing" },
  ]);
  expect(gaps[0]!.to + MINUTE).toBeLessThan(NOON + 15 * MINUTE);
  const last = loop.at(-1)!.to - NOON;
  // After a minute in which we heard all is as ever; so it is when we are away for long after all.
  expect(found(...loop, outage(last + MINUTE + 1, last + 2 * MINUTE)).at(-1)).not.toHaveProperty("excuses");
  expect(found(...loop, outage(last + 30 * SECOND, last + 60 * MINUTE)).at(-1)).not.toHaveProperty("excuses");
});

test("R26: after a long outage the quarter of an hour counts from our first return, whatever came before it", () => {
  const [restart, away] = [outage(0, SECOND), outage(50 * SECOND, 120 * MINUTE)];
  const loop = Array.from({ length: 13 }, (_, n) => outage((121 + n) * MINUTE - 5 * SECOND, (121 + n) * MINUTE));
  expect(found(restart, away, ...loop)).toMatchObject([{ from: NOON, outages: 15, silentTo: loop.at(-1)!.to }]);
  expect(found(restart, away, ...loop)[0]).not.toHaveProperty("excuses");
  const later = [134, 135].map((n) => outage(n * MINUTE - 5 * SECOND, n * MINUTE));
  expect(found(restart, away, ...loop, ...later)).toMatchObject([{ excuses: "closed" }, { excuses: "nothing" }]);
  // One outage that goes on, second by second, is the same.
  const seconds = Array.from({ length: 7_150 }, (_, n) =>
    outage(50 * SECOND + n * SECOND, 51 * SECOND + n * SECOND, "storage"),
  );
  expect(found(restart, ...seconds, ...loop)).toMatchObject([{ outages: 15 }]);
});

test("R26: a restore stays one, whatever follows it", () => {
  const gap = gapSince(NOON, NOON + 120 * MINUTE, "restored")!;
  expect(found(gap, outage(120 * MINUTE + 30 * SECOND, 121 * MINUTE))).toMatchObject([
    { reason: "restored", outages: 2, silentTo: NOON + 121 * MINUTE - 1 },
  ]);
  const before = outage(-20 * SECOND, 0, "storage");
  expect(found(before, gapSince(before.to, NOON + 120 * MINUTE, "restored")!)).toMatchObject([
    { reason: "restored", outages: 2 },
  ]);
});

test("R26: outages of the same length, one after the other, do not put off the count", () => {
  const many = Array.from({ length: 20 }, (_, n) => outage(n * 150 * SECOND, n * 150 * SECOND + 2 * MINUTE));
  expect(found(...many)[0]).toMatchObject({ outages: 6, joinsUntil: NOON + 15 * MINUTE - 1 });
});

const span = fc
  .tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 40 }))
  .map(([from, length]) => oneGap(from, from + length, "stalled"));

const instantsOf = (gaps: readonly FoundGap[]): number[] =>
  gaps.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, place) => from + place));

test("gaps that are added one by one never overlap, and cover just what was added", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      let kept: FoundGap[] = [];
      for (const added of spans) kept = [...kept, ...uncoveredParts(kept, added)].sort((a, b) => a.from - b.from);
      const covered = instantsOf(kept);
      expect(new Set(covered).size).toBe(covered.length);
      expect(new Set(covered)).toEqual(new Set(instantsOf(spans)));
    }),
  );
});
