// Work over many items in later turns of the event loop: each item once, in order, and the last stretch knows that it is.

import { expect, test } from "bun:test";
import { createTurns } from "../../src/engine/turns.ts";

function openTurns() {
  const scheduled: (() => void)[] = [];
  const errors: unknown[] = [];
  const turns = createTurns({
    schedule: (run) => void scheduled.push(run),
    failed: (error) => void errors.push(error),
  });
  return { turns, errors, endTurn: () => scheduled.shift()?.() };
}

test.each([
  [0, [[]]],
  [2, [[0, 1]]],
  [5, [[0, 1], [2, 3], [4]]],
])("%d items go two a turn, the first at once, and the last stretch is known", (count, expected) => {
  const { turns, endTurn } = openTurns();
  const seen: { stretch: readonly number[]; isLast: boolean }[] = [];
  const items = Array.from({ length: count }, (_, index) => index);
  turns.inStretches(items, 2, (stretch, isLast) => void seen.push({ stretch, isLast }));
  expect(seen).toHaveLength(1);
  for (let turn = 0; turn < 5; turn++) endTurn();
  expect(seen).toEqual(expected.map((stretch, place) => ({ stretch, isLast: place === expected.length - 1 })));
});

test("an error in a later turn is handed over and ends the stretches", () => {
  const { turns, errors, endTurn } = openTurns();
  let ran = 0;
  turns.inStretches([1, 2, 3], 1, () => {
    ran += 1;
    if (ran === 2) throw new Error("the disk is full");
  });
  for (let turn = 0; turn < 5; turn++) endTurn();
  expect([ran, errors]).toEqual([2, [new Error("the disk is full")]]);
});
