// R16: the search for slots against croner, a library with a search of its own.

import { expect, test } from "bun:test";
import { Cron } from "croner";
import fc from "fast-check";
import { wallSlotAfter, wallSlotAtOrBefore } from "../../src/domain/schedule/wall-slots.ts";
import { SECOND } from "../../src/domain/time.ts";
import { anySchedule } from "./slots-arbitraries.ts";
import { judgeOf } from "./slots-judge.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const timeout = 10_000 + 100 * numRuns;

const anyWallTime = fc.oneof(
  fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2100, 0) }),
  // The ends of days, months and leap years.
  fc
    .tuple(fc.integer({ min: 1970, max: 2104 }), fc.nat(12), fc.integer({ min: -2, max: 2 }))
    .map(([year, month, by]) => Date.UTC(year, month, 1) + by * SECOND),
);

test(
  "R16: the slots after and before a time are those that croner finds",
  () => {
    fc.assert(
      fc.property(
        anySchedule(6),
        fc.array(anyWallTime, { minLength: 5, maxLength: 5 }),
        ({ expression, fields }, times) => {
          const judge = judgeOf(fields);
          for (const wall of times) {
            expect(wallSlotAfter(expression, wall)).toBe(judge.nextRun(new Date(wall))!.getTime());
            const [before] = judge.previousRuns(1, new Date(wall + 1));
            expect(wallSlotAtOrBefore(expression, wall)).toBe(before!.getTime());
          }
        },
      ),
      { numRuns: 3 * numRuns },
    );
  },
  timeout,
);

test("R16: leap days up to 2100, a year without one in between, are those that croner finds", () => {
  const schedule = "30 15 4 29 2 *";
  const judge = new Cron(schedule, { mode: "6-part", utcOffset: 0 });
  let wall = Date.UTC(1999, 0);
  while (wall < Date.UTC(2110, 0)) {
    const next = wallSlotAfter(schedule, wall)!;
    expect(next).toBe(judge.nextRun(new Date(wall))!.getTime());
    expect(wallSlotAtOrBefore(schedule, next - 1) ?? wall).toBeLessThanOrEqual(wall);
    expect(wallSlotAtOrBefore(schedule, next)).toBe(next);
    wall = next;
  }
});
