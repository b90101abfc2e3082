// The worked examples of docs/contract.md that turn on runs: long, overlapping, killed, retried, ended by a heartbeat.
// Each row of its tables is a row here, the variants told in prose are examples of their own.

import {
  complete,
  type Example,
  fail,
  heartbeat,
  opened,
  type Row,
  recovered,
  reminder,
  start,
} from "../../support/timeline-table.ts";

const HOURLY = { schedule: "0 * * * *" };
const HOURLY_100_MINUTES = { ...HOURLY, maxRuntimeSeconds: 6000 };
const NIGHTLY = { schedule: "0 2 * * *", graceSeconds: 1800 };
const NIGHTLY_ONE_HOUR = { ...NIGHTLY, maxRuntimeSeconds: 3600 };

/** One at a time: the run that is late, and the second one, which has until 15:00:00. `ids` names the two runs. */
function untilTheSecondStart(ids: readonly [string | null, string | null]): Row[] {
  const legacy = ids[0] === null;
  return [
    { at: "10:00:00", says: start(ids[0]), status: "pending", expects: "11:00:00", deadline: "11:01:00" },
    { at: "11:01:00", status: "critical", tells: [opened("unfinished")] },
    { at: "11:01:05", status: "critical" },
    {
      at: "11:30:00",
      says: complete(ids[0]),
      status: "healthy",
      expects: "12:00:00",
      duration: 5400,
      legacy,
      tells: [recovered("unfinished", 1740, 1)],
    },
    { at: "12:00:00", says: start(ids[1]), status: "healthy", expects: "13:00:00", deadline: "15:00:00" },
    { at: "13:01:05", status: "warning", expects: "13:00:00" },
  ];
}

const oneAtATime = (ids: readonly [string | null, string | null]): Row[] => [
  ...untilTheSecondStart(ids),
  {
    at: "13:30:00",
    says: complete(ids[1]),
    status: "healthy",
    expects: "14:00:00",
    duration: 5400,
    legacy: ids[1] === null,
  },
];

const oneAtATimeWithMaxRuntime = (runId: string | null): Row[] => [
  { at: "10:00:00", says: start(runId), status: "pending", deadline: "11:40:00" },
  { at: "11:01:05", status: "warning", expects: "11:00:00" },
  { at: "11:30:00", says: complete(runId), status: "healthy", expects: "12:00:00", duration: 5400 },
  { at: "12:00:00", says: start(runId), status: "healthy", deadline: "13:40:00" },
];

export const RUN_EXAMPLES: readonly Example[] = [
  { title: "Hourly job of 90 minutes: one at a time", watch: HOURLY, rows: oneAtATime([null, null]) },
  {
    title: "Hourly job of 90 minutes: one at a time, prose: with a run_id for each run",
    watch: HOURLY,
    rows: oneAtATime(["first", "second"]),
  },
  {
    title: "Hourly job of 90 minutes: one at a time, prose: the second run hangs",
    watch: HOURLY,
    rows: [
      ...untilTheSecondStart([null, null]),
      { at: "14:01:05", status: "warning", expects: "13:00:00" },
      { at: "15:00:00", status: "critical", tells: [opened("unfinished")] },
      { at: "15:01:05", status: "critical" },
    ],
  },
  {
    title: "Hourly job of 90 minutes: one at a time, prose: with maxRuntime and run_id",
    watch: HOURLY_100_MINUTES,
    rows: oneAtATimeWithMaxRuntime("same"),
  },
  {
    title: "Hourly job of 90 minutes: one at a time, prose: with maxRuntime and without run_id",
    watch: HOURLY_100_MINUTES,
    rows: oneAtATimeWithMaxRuntime(null),
  },
  {
    title: "Hourly job of 90 minutes: overlapping, with run_id",
    watch: HOURLY,
    rows: [
      { at: "10:00:00", says: start("A"), status: "pending", expects: "11:00:00", deadline: "11:01:00" },
      { at: "11:00:00", says: start("B"), status: "pending", expects: "12:00:00", deadline: "12:01:00" },
      { at: "11:01:00", status: "critical", tells: [opened("unfinished")] },
      {
        at: "11:30:00",
        says: complete("A"),
        status: "healthy",
        expects: "12:00:00",
        duration: 5400,
        openRuns: 1,
        tells: [recovered("unfinished", 1740, 0)],
      },
      { at: "12:00:00", says: start("C"), status: "healthy", expects: "13:00:00", deadline: "15:00:00" },
      { at: "12:01:00", status: "critical", tells: [opened("unfinished")] },
      {
        at: "12:30:00",
        says: complete("B"),
        status: "healthy",
        expects: "13:00:00",
        duration: 5400,
        openRuns: 1,
        tells: [recovered("unfinished", 1740, 0)],
      },
    ],
  },
  {
    title:
      "Hourly job of 90 minutes: overlapping, prose: the start at 13:00 gets until 16:00, and no further false alarm",
    watch: HOURLY,
    rows: [
      { at: "10:00:00", says: start("A"), status: "pending" },
      { at: "11:00:00", says: start("B"), status: "pending" },
      { at: "11:01:00", status: "critical", tells: [opened("unfinished")] },
      { at: "11:30:00", says: complete("A"), status: "healthy", tells: [recovered("unfinished", 1740, 0)] },
      { at: "12:00:00", says: start("C"), status: "healthy" },
      { at: "12:01:00", status: "critical", tells: [opened("unfinished")] },
      { at: "12:30:00", says: complete("B"), status: "healthy", tells: [recovered("unfinished", 1740, 0)] },
      { at: "13:00:00", says: start("D"), status: "healthy", deadline: "16:00:00" },
      { at: "13:30:00", says: complete("C"), status: "healthy", duration: 5400 },
      { at: "14:00:00", says: start("E"), status: "healthy" },
      { at: "14:30:00", says: complete("D"), status: "healthy", duration: 5400 },
    ],
  },
  {
    title: "Hourly job of 90 minutes: overlapping, prose: with run_id and maxRuntime nothing is told",
    watch: HOURLY_100_MINUTES,
    rows: [
      { at: "10:00:00", says: start("A"), status: "pending", deadline: "11:40:00" },
      { at: "11:00:00", says: start("B"), status: "pending", deadline: "12:40:00" },
      { at: "11:30:00", says: complete("A"), status: "healthy", duration: 5400 },
      { at: "12:00:00", says: start("C"), status: "healthy", deadline: "13:40:00" },
      { at: "12:30:00", says: complete("B"), status: "healthy", duration: 5400 },
      { at: "13:30:00", says: complete("C"), status: "healthy", expects: "14:00:00", duration: 5400 },
    ],
  },
  {
    title: "Hourly job of 90 minutes: overlapping, without run_id",
    watch: HOURLY,
    rows: [
      { at: "10:00:00", says: start(), status: "pending", expects: "11:00:00", deadline: "11:01:00" },
      { at: "11:00:00", says: start(), status: "pending", expects: "12:00:00", deadline: "12:01:00" },
      { at: "11:01:00", status: "critical", tells: [opened("unfinished")] },
      {
        at: "11:30:00",
        says: complete(),
        status: "healthy",
        expects: "12:00:00",
        duration: 1800,
        legacy: true,
        tells: [recovered("unfinished", 1740, 0)],
      },
      { at: "12:00:00", says: start(), status: "healthy", expects: "13:00:00", deadline: "13:01:00" },
      { at: "12:30:00", says: complete(), status: "healthy", expects: "13:00:00", duration: 1800, legacy: true },
    ],
  },
  {
    title: "Hourly job of 90 minutes: overlapping, prose: without run_id, with maxRuntime",
    watch: HOURLY_100_MINUTES,
    rows: [
      { at: "10:00:00", says: start(), status: "pending", deadline: "11:40:00" },
      { at: "11:00:00", says: start(), status: "pending", deadline: "12:40:00" },
      { at: "11:30:00", says: complete(), status: "healthy", duration: 1800, legacy: true },
      { at: "11:40:00", status: "critical", tells: [opened("unfinished")] },
      { at: "12:00:00", says: start(), status: "critical", deadline: "13:40:00" },
      {
        at: "12:30:00",
        says: complete(),
        status: "healthy",
        duration: 1800,
        legacy: true,
        tells: [recovered("unfinished", 3000, 0)],
      },
    ],
  },
  {
    title: "A killed run and the next day's",
    watch: NIGHTLY,
    rows: [
      { at: "03-02 02:00:00", says: start("2"), status: "pending", expects: "03-03 02:00:00" },
      { at: "03-02 02:20:00", says: complete("2"), status: "healthy", expects: "03-03 02:00:00", duration: 1200 },
      {
        at: "03-03 02:00:00",
        says: start("3"),
        status: "healthy",
        expects: "03-04 02:00:00",
        deadline: "03-04 02:30:00",
      },
      {
        at: "03-04 02:00:00",
        says: start("4"),
        status: "healthy",
        expects: "03-05 02:00:00",
        deadline: "03-05 02:30:00",
      },
      { at: "03-04 02:20:00", says: complete("4"), status: "healthy", expects: "03-05 02:00:00", duration: 1200 },
      { at: "03-04 02:30:00", status: "healthy", openRuns: 0 },
    ],
  },
  {
    title: "A killed run and the next day's, prose: one and the same run_id",
    watch: NIGHTLY,
    rows: [
      { at: "03-03 02:00:00", says: start("r"), status: "pending", deadline: "03-04 02:30:00" },
      { at: "03-04 02:00:00", says: start("r"), status: "pending", deadline: "03-05 02:30:00", openRuns: 1 },
      { at: "03-04 02:20:00", says: complete("r"), status: "healthy", duration: 1200, openRuns: 0 },
      { at: "03-04 02:30:00", status: "healthy" },
    ],
  },
  {
    title: "A killed run and the next day's, prose: with maxRuntime",
    watch: NIGHTLY_ONE_HOUR,
    rows: [
      { at: "03-03 02:00:00", says: start("3"), status: "pending", deadline: "03-03 03:00:00" },
      { at: "03-03 03:00:00", status: "critical", tells: [opened("unfinished")] },
      { at: "03-03 04:00:00", status: "critical", tells: [reminder("unfinished")] },
      { at: "03-03 09:00:00", status: "critical", tells: [reminder("unfinished")] },
      { at: "03-04 02:00:00", says: start("4"), status: "critical", deadline: "03-04 03:00:00" },
      { at: "03-04 02:20:00", says: complete("4"), status: "healthy", tells: [recovered("unfinished", 84000, 0)] },
    ],
  },
  {
    title: "A killed run and the next day's, prose: nothing comes on 4 March either",
    watch: NIGHTLY,
    rows: [
      { at: "03-03 02:00:00", says: start("3"), status: "pending", deadline: "03-04 02:30:00" },
      { at: "03-04 02:30:00", status: "critical", tells: [opened("unfinished")] },
      { at: "03-04 02:30:05", status: "critical" },
    ],
  },
  {
    title: "Start–fail–retry",
    watch: NIGHTLY,
    rows: [
      {
        at: "03-03 02:00:00",
        says: start("r", 0),
        status: "pending",
        expects: "03-04 02:00:00",
        deadline: "03-04 02:30:00",
      },
      {
        at: "03-03 02:05:00",
        says: fail("disk full", "r", 0),
        status: "critical",
        openRuns: 0,
        tells: [opened("failed", { message: "disk full" })],
      },
      { at: "03-03 02:10:00", says: start("r", 1), status: "critical", openRuns: 1, deadline: "03-04 02:40:00" },
      { at: "03-03 02:15:00", says: fail("disk full", "r", 1), status: "critical", openRuns: 0 },
      { at: "03-03 03:05:00", status: "critical", tells: [reminder("failed")] },
      { at: "03-03 03:10:00", says: start("r", 2), status: "critical", openRuns: 1, deadline: "03-04 03:40:00" },
      {
        at: "03-03 03:22:00",
        says: complete("r", 2),
        status: "healthy",
        expects: "03-04 02:00:00",
        duration: 720,
        openRuns: 0,
        tells: [recovered("failed", 4620, 0)],
      },
    ],
  },
  {
    title: "Heartbeat after a start",
    watch: HOURLY,
    rows: [
      { at: "10:00:00", says: start(), status: "pending", expects: "11:00:00", deadline: "11:01:00", openRuns: 1 },
      { at: "10:10:00", says: heartbeat, status: "healthy", expects: "11:00:00", openRuns: 0 },
      { at: "10:12:00", says: complete(), status: "healthy", expects: "11:00:00", duration: 720 },
      { at: "11:00:00", says: start(), status: "healthy", expects: "12:00:00", deadline: "12:01:00", openRuns: 1 },
    ],
  },
];
