// The wheel against a plain map: every hint fires exactly once per arming, never early, never lost, whatever the clock
// does. Nothing here waits or reads a clock.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DAY, HOUR, type Instant, SECOND } from "../../src/domain/time.ts";
import { createWheel, type Wheel } from "../../src/engine/clock/wheel.ts";

const NOW = Date.UTC(2026, 2, 1, 2, 0, 0);
const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? 300);

const ascending = (ids: number[]): number[] => ids.toSorted((a, b) => a - b);

/** Advances in as many calls as it takes, each with the same limit. */
function advanceFully(wheel: Wheel, now: Instant, limit = 500): { due: number[]; calls: number } {
  const due: number[] = [];
  let calls = 0;
  do {
    const part = wheel.advance(now, limit);
    expect(part.length).toBeLessThanOrEqual(limit);
    due.push(...part);
    calls++;
  } while (wheel.more());
  return { due, calls };
}

describe("one hint", () => {
  test("fires at the first whole second at or after its instant, once", () => {
    const wheel = createWheel(NOW);
    wheel.arm(1, NOW + 5 * SECOND + 1);
    wheel.arm(2, NOW + 5 * SECOND);
    expect(advanceFully(wheel, NOW + 5 * SECOND - 1).due).toEqual([]);
    expect(advanceFully(wheel, NOW + 5 * SECOND).due).toEqual([2]);
    expect(advanceFully(wheel, NOW + 6 * SECOND - 1).due).toEqual([]);
    expect(advanceFully(wheel, NOW + 6 * SECOND).due).toEqual([1]);
    expect(advanceFully(wheel, NOW + DAY).due).toEqual([]);
    expect(wheel.size).toBe(0);
  });

  test("in the past fires with the next advance, in the same second too", () => {
    const wheel = createWheel(NOW);
    expect(wheel.more()).toBe(false);
    wheel.arm(1, NOW - DAY);
    wheel.arm(2, NOW);
    expect(wheel.more()).toBe(true);
    expect(ascending(wheel.advance(NOW, 10))).toEqual([1, 2]);
    wheel.arm(1, NOW - 1);
    expect(wheel.advance(NOW, 10)).toEqual([1]);
  });

  test("armed again fires at its new time only, be that later or earlier", () => {
    const wheel = createWheel(NOW);
    wheel.arm(1, NOW + HOUR);
    wheel.arm(1, NOW + 2 * HOUR);
    wheel.arm(2, NOW + HOUR);
    wheel.arm(2, NOW + HOUR / 2);
    expect(wheel.size).toBe(2);
    expect(advanceFully(wheel, NOW + HOUR / 2).due).toEqual([2]);
    expect(advanceFully(wheel, NOW + HOUR).due).toEqual([]);
    expect(advanceFully(wheel, NOW + 2 * HOUR).due).toEqual([1]);
  });

  test("that is forgotten never fires, and forgetting twice or a stranger is harmless", () => {
    const wheel = createWheel(NOW);
    wheel.arm(1, NOW + HOUR);
    wheel.arm(2, NOW - HOUR);
    for (const id of [1, 2, 1, 5_000]) wheel.arm(id, null);
    expect(wheel.size).toBe(0);
    expect(advanceFully(wheel, NOW + 400 * DAY).due).toEqual([]);
  });

  test("with a large id is kept beside the small ones", () => {
    const wheel = createWheel(NOW);
    wheel.arm(1, NOW + SECOND);
    wheel.arm(1_000_000, NOW + SECOND);
    expect(ascending(wheel.advance(NOW + SECOND, 10))).toEqual([1, 1_000_000]);
  });
});

describe("far deadlines", () => {
  for (const days of [400, 8 * 366, 70 * 365]) {
    test(`a deadline ${days} days away fires to the second, and waits for it through a jump of the clock`, () => {
      const wheel = createWheel(NOW);
      const wakeAt = NOW + days * DAY;
      wheel.arm(1, wakeAt);
      expect(advanceFully(wheel, NOW + 40 * DAY).due).toEqual([]);
      expect(advanceFully(wheel, wakeAt - 1).due).toEqual([]);
      expect(advanceFully(wheel, wakeAt).due).toEqual([1]);
    });
  }

  test("a deadline after the wheel's last second in 2106 does not fire before it", () => {
    const wheel = createWheel(NOW);
    wheel.arm(1, Date.UTC(9999, 11, 31));
    expect(advanceFully(wheel, Date.UTC(2106, 1, 1)).due).toEqual([]);
    expect(wheel.size).toBe(1);
  });

  // A slot of level n spans 256 ** n seconds; here all lower digits roll over at once.
  for (const level of [1, 2, 3]) {
    test(`around a boundary of level ${level} every second fires its own`, () => {
      const span = 256 ** level * SECOND;
      const boundary = Math.ceil(NOW / span) * span;
      for (const start of [boundary - 5 * SECOND, boundary - 300 * SECOND, boundary - span]) {
        const wheel = createWheel(start);
        for (let id = 1; id <= 9; id++) wheel.arm(id, boundary + (id - 5) * SECOND);
        expect(advanceFully(wheel, boundary - 5 * SECOND).due).toEqual([]);
        for (let id = 1; id <= 9; id++) expect(advanceFully(wheel, boundary + (id - 5) * SECOND).due).toEqual([id]);
      }
    });
  }
});

describe("many at once", () => {
  test("100,000 in one second are delivered under the limit in pieces, each once", () => {
    const wheel = createWheel(NOW);
    const ids = Array.from({ length: 100_000 }, (_, index) => index + 1);
    for (const id of ids) wheel.arm(id, NOW + HOUR);
    expect(advanceFully(wheel, NOW + HOUR - 1).due).toEqual([]);

    const first = wheel.advance(NOW + HOUR, 300);
    expect(first).toHaveLength(300);
    expect(wheel.size).toBe(ids.length - 300);
    const { due } = advanceFully(wheel, NOW + HOUR, 300);
    expect(ascending([...first, ...due])).toEqual(ids);
    expect(wheel.size).toBe(0);
  });

  test("a full slot is taken down over many calls, and none of its hints is late for that", () => {
    const wheel = createWheel(NOW);
    for (let id = 1; id <= 10_000; id++) wheel.arm(id, NOW + 30 * DAY + id * SECOND);
    const down = advanceFully(wheel, NOW + 30 * DAY);
    expect(down.due).toEqual([]);
    expect(down.calls).toBeGreaterThanOrEqual(10);
    expect(advanceFully(wheel, NOW + 30 * DAY + 7 * SECOND).due).toHaveLength(7);
  });
});

describe("R19: a clock that steps", () => {
  test("back loses nothing and fires nothing early", () => {
    const wheel = createWheel(NOW);
    wheel.arm(1, NOW + 2 * HOUR);
    wheel.arm(2, NOW + 400 * DAY);
    advanceFully(wheel, NOW + HOUR);
    expect(advanceFully(wheel, NOW - DAY).due).toEqual([]);
    wheel.arm(3, NOW - HOUR);
    expect(advanceFully(wheel, NOW - HOUR - 1).due).toEqual([]);
    expect(advanceFully(wheel, NOW - HOUR).due).toEqual([3]);
    expect(advanceFully(wheel, NOW + 2 * HOUR).due).toEqual([1]);
    expect(advanceFully(wheel, NOW + 400 * DAY).due).toEqual([2]);
  });

  test("back under a delivery in pieces keeps the rest for their time", () => {
    const wheel = createWheel(NOW);
    for (let id = 1; id <= 10; id++) wheel.arm(id, NOW + HOUR);
    const first = wheel.advance(NOW + HOUR, 4);
    expect(advanceFully(wheel, NOW).due).toEqual([]);
    expect(ascending([...first, ...advanceFully(wheel, NOW + HOUR).due])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("from 1970 to the truth, as on a machine without a clock battery", () => {
    const wheel = createWheel(0);
    wheel.arm(1, NOW + HOUR);
    expect(advanceFully(wheel, NOW).due).toEqual([]);
    expect(advanceFully(wheel, NOW + HOUR).due).toEqual([1]);
  });
});

type Step =
  | { do: "arm"; id: number; wakeIn: number }
  | { do: "forget"; id: number }
  | { do: "advance"; by: number; limit: number; fully: boolean };

// Spans around the wheel's own widths, in milliseconds: next second, minutes, hours, days, years; each also backwards.
const span = fc
  .tuple(fc.constantFrom(1, 256, 256 ** 2, 256 ** 3, 2 * 256 ** 3), fc.integer({ min: -2_500, max: 2_500 }))
  .map(([seconds, thousandths]) => Math.trunc(seconds * thousandths));
const forwards = fc.oneof(
  fc.integer({ min: 0, max: 3_000 }),
  span.map((by) => Math.abs(by)),
);
const id = fc.integer({ min: 1, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("arm" as const), id, wakeIn: span }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forget" as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      by: fc.oneof({ weight: 4, arbitrary: forwards }, { weight: 1, arbitrary: span }),
      limit: fc.integer({ min: 1, max: 5 }),
      fully: fc.boolean(),
    }),
  },
);

test("R19: any sequence of arming, forgetting and clock steps fires what a plain map says is due", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 40 }),
      fc.array(step, { maxLength: 120, size: "max" }),
      (start, steps) => {
        let now = start;
        const wheel = createWheel(now);
        const dueFrom = new Map<number, Instant>();

        const take = (due: number[]) => {
          for (const fired of due) {
            expect(dueFrom.get(fired)).toBeLessThanOrEqual(now);
            dueFrom.delete(fired);
          }
        };
        for (const step of steps) {
          if (step.do === "arm") {
            const wakeAt = Math.max(0, now + step.wakeIn);
            wheel.arm(step.id, wakeAt);
            dueFrom.set(step.id, Math.ceil(wakeAt / SECOND) * SECOND);
          } else if (step.do === "forget") {
            wheel.arm(step.id, null);
            dueFrom.delete(step.id);
          } else {
            // Kept short of the wheel's end in 2106.
            now = Math.min(Math.max(SECOND, now + step.by), 2 ** 41);
            if (step.fully) take(advanceFully(wheel, now, step.limit).due);
            else take(wheel.advance(now, step.limit));
            if (!wheel.more()) for (const due of dueFrom.values()) expect(due).toBeGreaterThan(now);
          }
          expect(wheel.size).toBe(dueFrom.size);
        }
        now = Math.max(now, ...dueFrom.values());
        take(advanceFully(wheel, now).due);
        expect(dueFrom.size).toBe(0);
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
});
