// The undecided gaps in memory (R26): each keeps its number for as long as it lasts, and what has been done about it
// only as long as it stays as it is.

import { describe, expect, test } from "bun:test";
import { type FoundGap, oneGap } from "../../src/domain/monitor/gap.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createGapList, type GapList } from "../../src/engine/own-outages/gap-list.ts";
import { NOON } from "../support/engine.ts";

const stall = (from: number, to: number): FoundGap => oneGap(NOON + from, NOON + to, "stalled");

/** A list that has written, logged and searched these. */
function listOf(...found: readonly FoundGap[]): GapList {
  const list = createGapList();
  list.load([], 40);
  for (const gap of found) list.add(gap);
  list.mark(() => ({ isSaved: true, isLogged: true, search: "done" }));
  return list;
}

const states = (list: GapList) =>
  list
    .tracked()
    .map(({ id, gap, isSaved, search }) => [id, (gap.from - NOON) / SECOND, (gap.to - NOON) / SECOND, isSaved, search]);

describe("a gap", () => {
  test("is numbered after all that ever were, and the rows of the last process keep their numbers", () => {
    const list = createGapList();
    list.load([{ id: 7, gap: stall(0, 10 * SECOND) }], 9);
    list.add(stall(HOUR, HOUR + 10 * SECOND));
    expect(states(list)).toEqual([
      [7, 0, 10, true, "wanted"],
      [10, 3_600, 3_610, false, "wanted"],
    ]);
  });

  test("that goes on keeps its number, and is written and searched again; others are left alone", () => {
    const list = listOf(stall(0, 10 * SECOND), stall(HOUR, HOUR + 10 * SECOND));
    list.add(stall(HOUR + 30 * SECOND, HOUR + 50 * SECOND));
    expect(states(list)).toEqual([
      [41, 0, 10, true, "done"],
      [42, 3_600, 3_650, false, "wanted"],
    ]);
  });

  test("that changes while its monitors are looked for is not known afterwards", () => {
    const list = listOf(stall(0, 10 * SECOND), stall(HOUR, HOUR + 10 * SECOND));
    list.mark(() => ({ search: "under way" }));
    list.prolong(NOON + HOUR + 10 * SECOND, NOON + HOUR + 12 * SECOND);
    list.mark(({ search }) => (search === "under way" ? { search: "done" } : {}));
    expect(states(list)).toEqual([
      [41, 0, 10, true, "done"],
      [42, 3_600, 3_612, false, "wanted"],
    ]);
  });

  test("takes nothing of what came meanwhile when another gap is in the way", () => {
    const list = listOf(stall(0, 10 * SECOND), stall(2 * MINUTE, 3 * MINUTE));
    list.prolong(NOON + 10 * SECOND, NOON + 2 * MINUTE);
    expect(states(list).map(([, , to]) => to)).toEqual([10, 180]);
  });

  test("of a wrong clock is shortened or gone, and all are searched again", () => {
    const list = listOf(stall(0, 10 * SECOND), stall(HOUR, 2 * HOUR), stall(3 * HOUR, 4 * HOUR));
    list.cut(NOON + HOUR + MINUTE);
    expect(states(list)).toEqual([
      [41, 0, 10, true, "wanted"],
      [42, 3_600, 3_660, true, "wanted"],
    ]);
    expect(list.gaps()).toEqual(list.tracked().map(({ gap }) => gap));
  });
});
