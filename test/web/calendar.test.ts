// What the calendar of a job says of a day: what came and what went wrong, and what was expected only where that is
// known.

import { expect, test } from "bun:test";
import type { PastDay } from "../../src/views/past-days.ts";
import { Calendar } from "../../src/web/job/calendar.tsx";
import { NOON } from "../support/engine.ts";

const QUIET: PastDay = { at: NOON, result: "quiet", expected: 0, reports: 0, missed: 0, failed: 0, unknown: 0 };

function saidOf(day: Partial<PastDay>): string | undefined {
  const page = Calendar({ job: { application: "prod", key: "job" }, days: [{ ...QUIET, ...day }], timezone: "UTC" });
  return /title="Today 2026-03-02: ([^"]*)"/.exec(String(page))?.[1];
}

test.each([
  ["3 reports", { result: "succeeded", expected: null, reports: 3 }],
  ["no report, and none was overdue", { result: "succeeded", expected: null, reports: 0 }],
  ["none was overdue", { result: "succeeded", expected: null, reports: null }],
  ["17 reports, 17 failed", { result: "failed", expected: null, reports: 17, failed: 17 }],
  ["2 reports, 1 failed, 3 missed", { result: "failed", expected: null, reports: 2, failed: 1, missed: 3 }],
] as const)("R44: of an interval it says %p, and nothing that was expected", (said, day) => {
  expect(saidOf(day)).toBe(said);
});

test.each([
  ["5 reports, 3 failed; 1 was expected", { result: "failed", expected: 1, reports: 5, failed: 3 }],
  ["1 report, 1 failed; nothing was expected", { result: "failed", reports: 1, failed: 1 }],
  ["2 missed; 24 were expected", { result: "missed", expected: 24, reports: null, missed: 2 }],
  ["all 24 answered", { result: "succeeded", expected: 24, reports: 25 }],
  ["2 reports, nothing was expected", { reports: 2 }],
  ["nothing was expected", {}],
] as const)("of a schedule it says %p", (said, day) => {
  expect(saidOf(day)).toBe(said);
});
