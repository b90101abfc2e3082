// What a job is doing now, in one sentence: what it says in each state, and that its times are those of the moment when
// somebody looks.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Cause } from "../../src/domain/monitor/incident.ts";
import { STATUSES } from "../../src/domain/monitor/monitor.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { momentAs, ordinal, sentenceNow, sentenceText } from "../../src/domain/wording/now.ts";
import type { JobNow } from "../../src/domain/wording/types.ts";

/** A Monday. */
const NOW = Date.parse("2026-03-02T09:00:00Z");
const NO_PAUSES = { manual: null, discovery: false, plan: false, suspension: false };

const HEALTHY: JobNow = {
  status: "healthy",
  timezone: "UTC",
  lateSince: null,
  nextAt: NOW + 9 * HOUR,
  graceSeconds: 600,
  lastPingAt: NOW - 3 * HOUR,
  lastSuccessAt: NOW - 3 * HOUR,
  lastFailureAt: null,
  misses: 0,
  failures: 0,
  unheard: false,
  pauses: NO_PAUSES,
  incident: null,
  run: null,
  lastRunMs: 22 * MINUTE,
  lately: null,
};

const incident = (causes: readonly [Cause, ...Cause[]], more: Partial<NonNullable<JobNow["incident"]>> = {}) => ({
  opening: "InitialFailure" as const,
  causes,
  troubles: causes.length,
  message: null,
  expectedAt: null,
  ...more,
});

const critical = (more: Partial<JobNow>): JobNow => ({ ...HEALTHY, status: "critical", ...more });
const run = (startedAt: number, deadline: number | null) => ({ startedAt, deadline });

test.each<[string, JobNow]>([
  ["succeeded 3 h ago, next due in 9 h", HEALTHY],
  ["succeeded 3 h ago", { ...HEALTHY, nextAt: null }],
  [
    "succeeded 3 h ago, next due in 9 h; 10 incidents in 9 h 12 min",
    { ...HEALTHY, lately: { times: 10, since: NOW - 9 * HOUR - 12 * MINUTE } },
  ],
  ["succeeded 3 h ago, with a warning, next due in 9 h", { ...HEALTHY, status: "warning" }],
  ["waits for its first report, next due in 9 h", { ...HEALTHY, status: "pending", lastSuccessAt: null }],
  [
    "is 4 min late, due 08:56, and may come until 09:06",
    { ...HEALTHY, status: "warning", lateSince: NOW - 4 * MINUTE },
  ],
  [
    "failed 2 min ago, 1 time: tolerated so far, next due in 9 h",
    { ...HEALTHY, status: "warning", failures: 1, lastFailureAt: NOW - 2 * MINUTE },
  ],
  ["did not report 2 times: tolerated so far, next due in 9 h", { ...HEALTHY, status: "warning", misses: 2 }],
  ["may have run while rollcall could not hear it, next due in 9 h", { ...HEALTHY, status: "warning", unheard: true }],
  [
    "has been running for 1 min 5 s, the last took 22 min, and has time until 10:05",
    { ...HEALTHY, run: run(NOW - 65 * SECOND, NOW + 65 * MINUTE) },
  ],
  [
    "has been running for 3 s, the last took 22 min; it began 7 h late",
    { ...HEALTHY, status: "warning", lateSince: NOW - 7 * HOUR - 3 * SECOND, run: run(NOW - 3 * SECOND, null) },
  ],
  [
    "did not report; 7 h late, due 02:00",
    critical({
      lastPingAt: NOW - DAY,
      lateSince: NOW - 7 * HOUR,
      incident: incident(["missed"], { expectedAt: NOW - 7 * HOUR }),
    }),
  ],
  [
    "has never reported; 7 h late, due 02:00",
    critical({
      lastPingAt: null,
      lastSuccessAt: null,
      lateSince: NOW - 7 * HOUR,
      incident: incident(["missed"], { opening: "NeverExecuted", expectedAt: NOW - 7 * HOUR }),
    }),
  ],
  [
    "did not report, due 02:00; running for 3 s",
    critical({
      lastPingAt: NOW - 3 * SECOND,
      incident: incident(["missed"], { expectedAt: NOW - 7 * HOUR }),
      run: run(NOW - 3 * SECOND, NOW + HOUR),
    }),
  ],
  [
    "failed 2 min ago, for the 3rd time in a row: disk full",
    critical({
      lastFailureAt: NOW - 2 * MINUTE,
      incident: incident(["failed"], { troubles: 3, message: "disk full" }),
    }),
  ],
  ["failed 2 s ago", critical({ lastFailureAt: NOW - 2 * SECOND, incident: incident(["failed"]) })],
  [
    "failed 2 s ago; did not report, due 02:00",
    critical({
      lastPingAt: NOW - 2 * SECOND,
      lastFailureAt: NOW - 2 * SECOND,
      incident: incident(["missed", "failed"], { expectedAt: NOW - 7 * HOUR }),
    }),
  ],
  [
    "did not report; 7 h late, due 02:00; failed 26 h ago",
    critical({
      lastPingAt: NOW - 26 * HOUR,
      lastFailureAt: NOW - 26 * HOUR,
      lateSince: NOW - 7 * HOUR,
      incident: incident(["failed", "missed"], { expectedAt: NOW - 7 * HOUR }),
    }),
  ],
  [
    "has not finished: it was to end by 07:00, 2 h ago",
    critical({ lastFailureAt: NOW - 2 * HOUR, incident: incident(["unfinished"]) }),
  ],
  [
    "had a wrong result 2 h ago: rows is 0",
    critical({ lastFailureAt: NOW - 2 * HOUR, incident: incident(["outcome"], { message: "rows is 0" }) }),
  ],
  [
    "is in trouble (failed, also not finished), last 2 h ago",
    critical({ lastFailureAt: NOW - 2 * HOUR, incident: incident(["failed", "unfinished"]) }),
  ],
  [
    "is paused until 11:00 by Ada",
    {
      ...HEALTHY,
      status: "paused",
      pauses: { ...NO_PAUSES, manual: { until: NOW + 2 * HOUR, asked: { by: "Ada", reason: null, planned: false } } },
    },
  ],
  [
    "is paused until it is resumed",
    { ...HEALTHY, status: "paused", pauses: { ...NO_PAUSES, manual: { until: null, asked: null } } },
  ],
  [
    "is paused while its application is suspended",
    { ...HEALTHY, status: "paused", pauses: { ...NO_PAUSES, suspension: true } },
  ],
])("%s", (sentence, job) => expect(sentenceText(sentenceNow(job, NOW))).toBe(sentence));

const instant = fc.option(fc.integer({ min: NOW - 400 * DAY, max: NOW }), { nil: null });
const causes = fc.uniqueArray(fc.constantFrom<Cause>("missed", "failed", "unfinished", "outcome"), { minLength: 1 });

const anyJob: fc.Arbitrary<JobNow> = fc.record({
  status: fc.constantFrom(...STATUSES),
  timezone: fc.constantFrom("UTC", "Europe/Berlin"),
  lateSince: fc.option(fc.integer({ min: NOW - 400 * DAY, max: NOW - 1 }), { nil: null }),
  nextAt: fc.option(fc.integer({ min: NOW, max: NOW + 400 * DAY }), { nil: null }),
  graceSeconds: fc.integer({ min: 0, max: 86_400 }),
  lastPingAt: instant,
  lastSuccessAt: instant,
  lastFailureAt: instant,
  misses: fc.nat(3),
  failures: fc.nat(3),
  unheard: fc.boolean(),
  pauses: fc.constant(NO_PAUSES),
  incident: fc.option(
    causes.map((all) => incident(all as [Cause, ...Cause[]], { expectedAt: NOW - HOUR, troubles: all.length + 1 })),
    { nil: null },
  ),
  run: fc.option(fc.record({ startedAt: instant, deadline: instant }), { nil: null }),
  lastRunMs: fc.option(fc.nat(DAY), { nil: null }),
  lately: fc.option(
    fc.record({ times: fc.integer({ min: 3, max: 100 }), since: fc.integer({ min: NOW - DAY, max: NOW }) }),
    { nil: null },
  ),
});

test("whatever is known of a job, its sentence can be read and said again later", () => {
  fc.assert(
    fc.property(anyJob, (job) => {
      const parts = sentenceNow(job, NOW);
      const text = sentenceText(parts);
      expect(text).toMatch(/^[a-z].*[^ .,;:]$/);
      expect(text).not.toMatch(/ {2}|undefined|NaN|null| ,| ;/);
      for (const { text, at, as } of parts) {
        expect(at === null).toBe(as === null);
        if (at !== null && as !== null) expect(momentAs(as, at, NOW, job.timezone)).toBe(text);
      }
    }),
  );
});

test("the words that do not name an instant stay as they are while time passes, until the state changes", () => {
  fc.assert(
    fc.property(anyJob, fc.integer({ min: 1, max: 59 }), (job, seconds) => {
      const kept = { ...job, lateSince: null, nextAt: null, run: job.run && { ...job.run, deadline: null } };
      const words = (now: number) => sentenceNow(kept, now).map(({ text, at }) => (at === null ? text : at));
      expect(words(NOW + seconds * SECOND)).toEqual(words(NOW));
    }),
  );
});

test("ordinals are written as people write them", () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal)).toEqual([
    "1st",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
    "13th",
    "21st",
    "102nd",
    "111th",
  ]);
});
