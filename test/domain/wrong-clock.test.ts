// How long a clock must stand behind what is stored before that is put right, and how far it was set back (R26).

import { expect, test } from "bun:test";
import { CLOCK_UNSEEN, clockSeen, isBehind, setBack } from "../../src/domain/clock-set-back.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");

/** How long after noon by the monotonic clock, and how far off by the one on the wall. */
const lookAt = (passedMs: number, offMs = 0) => ({ at: NOON + passedMs + offMs, monotonic: 5_000 + passedMs });

const seenRight = clockSeen(CLOCK_UNSEEN, lookAt(0), 0);

test("R26: instants less than a minute ahead are reached soon: the clock is not behind", () => {
  expect(isBehind(MINUTE)).toBe(false);
  expect(isBehind(MINUTE + 1)).toBe(true);
  expect(clockSeen(seenRight, lookAt(SECOND), MINUTE).behind).toBeNull();
});

test("R26: ten minutes pass by the clock that cannot be set before it is put right, from when it was first seen", () => {
  let stand = seenRight;
  for (let minute = 1; minute <= 10; minute++) {
    const look = lookAt(minute * MINUTE, -HOUR);
    stand = clockSeen(stand, look, HOUR - minute * MINUTE);
    expect(setBack(stand, look)).toBeNull();
  }
  expect(setBack(stand, lookAt(11 * MINUTE, -HOUR))).toEqual({ backMs: HOUR, exact: true });
});

test("R26: a clock that is right again in between starts over", () => {
  const behind = clockSeen(seenRight, lookAt(MINUTE, -HOUR), HOUR);
  const right = clockSeen(behind, lookAt(9 * MINUTE), 0);
  const again = clockSeen(right, lookAt(10 * MINUTE, -HOUR), HOUR);
  expect(setBack(again, lookAt(12 * MINUTE, -HOUR))).toBeNull();
});

test("R26: who never saw it right knows only how far ahead the newest instant lay, to the second", () => {
  const stand = clockSeen(CLOCK_UNSEEN, lookAt(0, -DAY), DAY - 400);
  expect(setBack(stand, lookAt(10 * MINUTE, -DAY))).toEqual({ backMs: DAY, exact: false });
  // It was set back by another hour since.
  expect(setBack(stand, lookAt(10 * MINUTE, -DAY - HOUR))).toEqual({ backMs: DAY + HOUR, exact: false });
});
