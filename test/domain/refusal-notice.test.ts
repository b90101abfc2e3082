// R26, R33: when a notice about refused reports goes out, for random floods that are looked at once a second.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NOTHING_REFUSED, pendingRefusalsWith, refusalNoticeDue } from "../../src/domain/message/refused-report.ts";
import { HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";

const NOW: Instant = Date.UTC(2026, 2, 2, 12);

interface Report {
  readonly at: Instant;
  readonly monitor: number;
  readonly isFail: boolean;
}

interface ExpectedAlert {
  readonly at: Instant;
  readonly reports: readonly Report[];
}

const reportsArbitrary = fc
  .array(
    fc.record({
      pause: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 3_000 })),
      monitor: fc.integer({ min: 1, max: 3 }),
      isFail: fc.boolean(),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((each) => {
    let at = NOW;
    return each.map(({ pause, monitor, isFail }): Report => {
      at += pause * SECOND;
      return { at, monitor, isFail };
    });
  });

/** Looks once a second until everything has been told. */
function play(reports: readonly Report[]): ExpectedAlert[] {
  const told: ExpectedAlert[] = [];
  const namedAt = new Map<number, Instant>();
  let waiting: Report[] = [];
  let untold = NOTHING_REFUSED;
  let last: Instant | null = null;
  let next = 0;
  for (let now = NOW; next < reports.length || waiting.length > 0; now += SECOND) {
    for (; next < reports.length && reports[next]!.at <= now; next++) {
      const report = reports[next]!;
      untold = pendingRefusalsWith(untold, { ...report, namedAt: namedAt.get(report.monitor) ?? null });
      waiting.push(report);
    }
    if (!refusalNoticeDue(untold, last, now)) continue;
    told.push({ at: now, reports: waiting });
    for (const { monitor, isFail } of waiting) if (isFail) namedAt.set(monitor, now);
    untold = NOTHING_REFUSED;
    last = now;
    waiting = [];
  }
  return told;
}

const failingIn = ({ reports }: ExpectedAlert): number[] =>
  reports.filter(({ isFail }) => isFail).map(({ monitor }) => monitor);

describe("for random floods", () => {
  const law = (title: string, holds: (told: readonly ExpectedAlert[]) => void) =>
    test(title, () =>
      fc.assert(
        fc.property(reportsArbitrary, (reports) => holds(play(reports))),
        { numRuns: 100 },
      ),
    );

  law("R33: a notice waits a minute for what belongs to it, but the first failure of an hour for nothing", (told) => {
    told.forEach(({ at, reports }, index) => {
      const quietSince = index === 0 ? 0 : told[index - 1]!.at + HOUR;
      const first = reports.find(({ isFail, at: failedAt }) => isFail && failedAt >= quietSince);
      if (first !== undefined) expect(at - first.at).toBeLessThan(MINUTE);
      else expect(at - reports[0]!.at).toBeGreaterThanOrEqual(MINUTE);
    });
  });

  test("R33: the first failure of an hour is told at once", () => {
    const reports = [{ at: NOW + SECOND, monitor: 1, isFail: true }];
    expect(play(reports).map(({ at }) => at)).toEqual([NOW + SECOND]);
    const later = [...reports, { at: NOW + 10 * SECOND, monitor: 2, isFail: true }];
    expect(play(later).map(({ at }) => at)).toEqual([NOW + SECOND, NOW + 10 * SECOND + MINUTE]);
  });

  law("R33: nothing stays untold for more than an hour and a minute", (told) => {
    for (const { at, reports } of told) expect(at - reports[0]!.at).toBeLessThanOrEqual(HOUR + MINUTE);
  });

  law("R26: a monitor's failure is told within a minute unless a notice of the last hour named it", (told) => {
    told.forEach(({ at, reports }, index) => {
      for (const report of reports) {
        if (!report.isFail || at - report.at <= MINUTE) continue;
        const earlier = told.slice(0, index).filter((one) => report.at - one.at < HOUR);
        expect(earlier.flatMap(failingIn)).toContain(report.monitor);
      }
    });
  });

  law("R33: within an hour of a notice another one goes out only for a failure it did not name", (told) => {
    told.forEach((one, index) => {
      const before = told.slice(0, index).filter(({ at }) => one.at - at < HOUR);
      if (before.length === 0) return;
      const named = new Set(
        told
          .slice(0, index)
          .filter(({ at }) => one.at - at < HOUR - MINUTE)
          .flatMap(failingIn),
      );
      expect(failingIn(one).some((monitor) => !named.has(monitor))).toBe(true);
    });
  });
});

describe("a clock that was wrong", () => {
  test("delays no notice: neither a last notice nor a report in the future is waited for", () => {
    const later = NOW + 365 * 24 * HOUR;
    const reported = pendingRefusalsWith(NOTHING_REFUSED, { at: NOW, isFail: false, namedAt: null });
    expect(refusalNoticeDue(reported, later, NOW + MINUTE)).toBe(true);
    expect(
      refusalNoticeDue(pendingRefusalsWith(NOTHING_REFUSED, { at: later, isFail: false, namedAt: null }), null, NOW),
    ).toBe(true);
  });
});

test("nothing refused, nothing due", () => {
  expect(refusalNoticeDue(NOTHING_REFUSED, null, NOW)).toBe(false);
  expect(refusalNoticeDue(NOTHING_REFUSED, NOW, NOW + 2 * HOUR)).toBe(false);
});
