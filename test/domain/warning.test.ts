// Which warning a report is answered with (R7, R14): of all that could be said the most important, and nothing twice.

import { expect, test } from "bun:test";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import type { Run } from "../../src/domain/monitor/run.ts";
import { HOUR } from "../../src/domain/time.ts";
import { type Reported, warningOf } from "../../src/domain/wording/warning.ts";
import { DEFAULT_WATCH, instantOf } from "../support/timeline-table.ts";

const HOURLY = { ...DEFAULT_WATCH, schedule: "0 * * * *" };
const STARTED = instantOf("10:00:00");
const monitor = newMonitor(HOURLY, STARTED);
const hung: Run = {
  number: 1,
  runId: "a",
  attempt: null,
  state: "incomplete",
  startedAt: STARTED,
  deadline: STARTED + HOUR,
  endedAt: null,
  endedBy: null,
  durationSeconds: null,
  legacy: false,
  usual: null,
  verdict: null,
};

const QUIET: Reported = {
  kind: "heartbeat",
  lookalikes: [],
  key: "job",
  created: false,
  expectsOutcomes: false,
  watchBefore: HOURLY,
  monitor,
  outlived: [],
  disbelieved: null,
  startedAt: null,
  unreachable: () => null,
  refusedBy: () => null,
  zones: () => ["UTC", "Europe/Berlin"],
};

/** Everything that could be said, the most important first: each with the words by which it is known. */
const SAYABLE: readonly (readonly [Partial<Reported>, string])[] = [
  [{ monitor: { ...monitor, pauses: { ...monitor.pauses, plan: true } } }, "This monitor is paused"],
  [{ unreachable: () => "no destination is configured for them" }, "cannot be delivered: no destination"],
  [{ watchBefore: { ...HOURLY, schedule: "5 * * * *" } }, 'changed from "5 * * * *" to "0 * * * *".'],
  [{ refusedBy: () => "rate_limit.ping" }, "refused by the rate limit in the last hour (rate_limit.ping)"],
  [{ outlived: [hung] }, "The run that started at 2026-03-02T10:00:00.000Z has not reported its end"],
  [
    { monitor: { ...monitor, receivedAt: STARTED, drift: { minutes: -60, reports: 3 } } },
    "The last 3 reports came 1 hour before",
  ],
  [{ expectsOutcomes: true }, "cannot be met by a heartbeat"],
  [{ created: true, key: "Nightly Backup" }, "The monitor key is accepted"],
];

/** All but the first of them. */
function all(from: number): Reported {
  const changes = SAYABLE.slice(from).map(([change]) => change);
  return Object.assign({}, QUIET, ...changes.reverse());
}

test.each(SAYABLE.map(([, words], place) => [words, place] as const))(
  "R14: of all that could be said a heartbeat is told the most important: …%s…",
  (words, place) => {
    expect(warningOf(all(place))).toContain(words);
    expect(warningOf(all(place))!.match(/\.( |$)/g)).toHaveLength(1);
  },
);

test("R14: a log is told what a heartbeat is, but for outcomes; nothing is said where nothing is the matter", () => {
  expect(warningOf(QUIET)).toBeNull();
  expect(warningOf({ ...all(0), kind: "log" })).toStartWith("This monitor is paused");
  expect(warningOf({ ...QUIET, kind: "log", expectsOutcomes: true })).toBeNull();
});

test("R14, R21: other reports are told what they caused, and nothing else", () => {
  for (const kind of ["start", "complete", "fail"] as const) {
    expect(warningOf({ ...all(0), kind })).toStartWith("The run that started at");
    expect(warningOf({ ...all(0), kind, outlived: [] })).toBeNull();
  }
});

test("R43: a duration that cannot be is named behind all else, but for a start and a log, which have none", () => {
  const disbelieved = { ...QUIET, disbelieved: 90, startedAt: STARTED };
  expect(warningOf({ ...disbelieved, kind: "complete" })).toStartWith("The duration of 90 seconds was ignored");
  expect(warningOf({ ...disbelieved, kind: "start" })).toBeNull();
  expect(warningOf({ ...disbelieved, kind: "log" })).toBeNull();
});

test("R7: a parameter that was ignored is named behind all else, with what it resembles", () => {
  const lookalikes = [{ name: "grace", meant: "gracePeriod" }];
  expect(warningOf({ ...QUIET, lookalikes })).toBe(
    'The parameter "grace" is unknown and was ignored; did you mean "gracePeriod"?',
  );
  const more = [...lookalikes, { name: "graceperiod", meant: "gracePeriod" }];
  expect(warningOf({ ...all(0), lookalikes: more })).toEndWith(
    'watched. The parameters "grace", "graceperiod" are unknown and were ignored; did you mean "gracePeriod"?',
  );
});
