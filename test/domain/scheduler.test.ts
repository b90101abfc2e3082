// Long work in later turns of the event loop: a piece a turn, in order, taken no sooner than it is needed.

import { expect, test } from "bun:test";
import { type InPieces, piecesOf } from "../../src/domain/in-pieces.ts";
import { createBackground, createScheduler } from "../../src/domain/scheduler.ts";

/** `takes`: how many milliseconds pass between two looks at the clock. */
function openTurns(takes = 0) {
  const scheduled: (() => void)[] = [];
  const errors: unknown[] = [];
  let now = 0;
  const clock = { monotonic: () => (now += takes) };
  const taker = createScheduler({ schedule: (run) => void scheduled.push(run), clock });
  const turns = createBackground(taker, (error) => void errors.push(error));
  return { taker, turns, errors, endTurn: () => scheduled.shift()?.() };
}

test.each([
  [0, []],
  [2, [[0, 1]]],
  [5, [[0, 1], [2, 3], [4]]],
])("%d items go two a turn, the first at once, each taken when its turn comes", (count, expected) => {
  const { turns, endTurn } = openTurns();
  const seen: (readonly number[])[] = [];
  let taken = 0;
  function* items(): Generator<number> {
    while (taken < count) yield taken++;
  }
  function* work(): InPieces<void> {
    for (const piece of piecesOf(items(), 2)) {
      seen.push(piece);
      yield;
    }
  }
  turns.through(work());
  expect([seen, taken]).toEqual([expected.slice(0, 1), Math.min(count, 2)]);
  for (let turn = 0; turn < 5; turn++) endTurn();
  expect(seen).toEqual(expected);
});

test("an error in a later turn is handed over and ends the work, which may still put itself in order", () => {
  const { turns, errors, endTurn } = openTurns();
  let ran = 0;
  let ended = 0;
  function* work(): InPieces<void> {
    try {
      for (; ; yield) {
        ran += 1;
        if (ran === 2) throw new Error("the disk is full");
      }
    } finally {
      ended += 1;
    }
  }
  turns.through(work());
  for (let turn = 0; turn < 5; turn++) endTurn();
  expect([ran, ended, errors]).toEqual([2, 1, [new Error("the disk is full")]]);
});

test("nothing goes on after a stop", () => {
  const { turns, endTurn } = openTurns();
  let ran = 0;
  function* work(): InPieces<void> {
    for (; ; yield) ran += 1;
  }
  turns.through(work());
  turns.stop();
  for (let turn = 0; turn < 5; turn++) endTurn();
  expect(ran).toBe(1);
});

test("what waits shares a turn while that is short, and what is asked for in a turn waits for the next", () => {
  for (const [takes, expected] of [
    [0, ["abc", "def"]],
    [3, ["ab", "cd", "ef"]],
    [9, ["a", "b", "c", "d", "e", "f"]],
  ] as const) {
    const { turns, endTurn } = openTurns(takes);
    const seen: string[] = [];
    let turn = "";
    const run = (name: string, then: string): void => {
      turn += name;
      if (then !== "") turns.later(() => run(then, ""));
    };
    for (const [name, then] of ["ad", "be", "cf"]) turns.later(() => run(name!, then!));
    for (endTurn(); turn !== ""; endTurn()) {
      seen.push(turn);
      turn = "";
    }
    expect(seen).toEqual([...expected]);
  }
});

test("work that goes on behind a promise is the last of its turn, and waits in line with all else", () => {
  const { taker, turns, endTurn } = openTurns();
  const seen: string[] = [];
  turns.later(() => void seen.push("check"));
  taker.laterAlone(() => void seen.push("page"));
  taker.laterAlone(() => void seen.push("answer"));
  turns.later(() => void seen.push("review"));
  const byTurn = Array.from({ length: 3 }, () => {
    endTurn();
    return seen.splice(0).join(" ");
  });
  expect(byTurn).toEqual(["check page", "answer", "review"]);
});

test("an error of one keeps no other from its turn", () => {
  const { taker, endTurn } = openTurns();
  let ran = 0;
  taker.later(() => {
    throw new Error("a fault of ours");
  });
  taker.later(() => void ran++);
  expect(endTurn).toThrow("a fault of ours");
  endTurn();
  expect(ran).toBe(1);
});
