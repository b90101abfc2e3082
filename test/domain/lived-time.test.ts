// Laws of lived time (R26): a clock that lies for a while deletes nothing that a right one would keep.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { certainAt, type LivedTime, livedUntil, movedBy, steadyAt, steadyFor } from "../../src/domain/lived-time.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { propertyRuns } from "../support/property-runs.ts";

const START: Instant = Date.UTC(2026, 2, 2, 12);

/** What befalls a clock that was right: for some minutes it is ahead or behind, or nothing runs. */
const spans = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 300 }),
    what: fc.constantFrom("right", "right", "ahead", "behind", "away", "asleep"),
    by: fc.constantFrom(2 * MINUTE, 3 * HOUR, 30 * DAY, 800 * DAY),
  }),
  { maxLength: 20 },
);

interface Watched {
  lived: LivedTime;
  truth: Instant;
}

function look(watched: Watched, minutes: number, error: number): void {
  for (let minute = 0; minute < minutes; minute += 1) {
    watched.truth += MINUTE;
    watched.lived = livedUntil(watched.lived, watched.truth + error, MINUTE);
    expect(certainAt(watched.lived, watched.truth + error, 0)).toBeLessThanOrEqual(watched.truth + error);
    expect(certainAt(watched.lived, watched.truth + error, 0)).toBeLessThanOrEqual(watched.truth + MINUTE);
  }
}

test("R26: what is settled is never ahead of the truth, and right again after six quiet hours", () => {
  fc.assert(
    fc.property(spans, (all) => {
      const watched: Watched = { lived: livedUntil(null, START, 0), truth: START };
      for (const { minutes, what, by } of all) {
        if (what === "away" || what === "asleep") watched.truth += minutes * MINUTE;
        else look(watched, minutes, what === "right" ? 0 : what === "ahead" ? by : -by);
        // No error lasts for six hours.
        look(watched, 1, 0);
      }
      look(watched, 6 * 60 + 1, 0);
      const { lived, truth } = watched;
      expect(truth - certainAt(lived, truth, 0)).toBeLessThanOrEqual(MINUTE);
    }),
    propertyRuns(100),
  );
});

test("R26: a clock that is 800 days ahead for 90 seconds is not believed", () => {
  const watched: Watched = { lived: livedUntil(null, START, 0), truth: START };
  watched.lived = livedUntil(watched.lived, START + 800 * DAY, SECOND);
  watched.lived = livedUntil(watched.lived, START + 800 * DAY + 90 * SECOND, 90 * SECOND);
  expect(certainAt(watched.lived, START + 800 * DAY + 90 * SECOND, 0)).toBe(START + 91 * SECOND);
  watched.lived = livedUntil(watched.lived, START + 92 * SECOND, SECOND);
  expect(watched.lived.lines).toHaveLength(1);
});

test("R26: after a first start in 1970 the clock is believed six hours after the network told the time", () => {
  let lived = livedUntil(null, 10 * SECOND, 0);
  lived = livedUntil(lived, START, SECOND);
  expect(certainAt(lived, START, 0)).toBe(11 * SECOND);
  lived = livedUntil(lived, START + 6 * HOUR, 6 * HOUR);
  expect(certainAt(lived, START + 6 * HOUR, 0)).toBe(START + 6 * HOUR);
});

test("R26: processes that end again and again keep a bounded number of lines", () => {
  let lived = livedUntil(null, START, 0);
  for (let start = 1; start <= 500; start += 1) lived = livedUntil(lived, START + start * HOUR, SECOND);
  expect(lived.lines).toHaveLength(64);
  expect(certainAt(lived, START + 500 * HOUR, 0)).toBe(START + 500 * SECOND);
});

test("R26: what a person asked for ends by a clock that has stood for ten minutes, or was never doubted", () => {
  let lived = livedUntil(null, START, 0);
  const moved = [MINUTE, 3 * HOUR, -2 * HOUR].map((by) => movedBy(lived, START + by, 0));
  expect(moved).toEqual([0, 3 * HOUR, -2 * HOUR]);
  lived = livedUntil(lived, START + 3 * HOUR, 0);
  expect(steadyAt(lived, START + 3 * HOUR + 9 * MINUTE, 9 * MINUTE)).toBe(START + 9 * MINUTE);
  expect(steadyAt(lived, START + 3 * HOUR + 10 * MINUTE, 10 * MINUTE)).toBe(START + 3 * HOUR + 10 * MINUTE);
  const right = livedUntil(lived, START + MINUTE, MINUTE);
  expect([steadyAt(right, START + MINUTE, 0), steadyFor(right, 0)]).toEqual([START + MINUTE, MINUTE]);
});
