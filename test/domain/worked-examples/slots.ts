// The worked examples of docs/contract.md that turn on slots: early, late, missed, an interval, no schedule, another
// schedule. Each row of its tables is a row here, the variants told in prose are examples of their own.

import {
  complete,
  DEFAULT_WATCH,
  type Example,
  fail,
  heartbeat,
  opened,
  recovered,
  reminder,
  start,
} from "../../support/timeline-table.ts";

const HOURLY = "0 * * * *";

export const SLOT_EXAMPLES: readonly Example[] = [
  {
    title: "Every-minute job",
    watch: { schedule: "* * * * *" },
    rows: [
      { at: "10:00:01", says: heartbeat, status: "healthy", expects: "10:01:00" },
      { at: "10:01:02", says: heartbeat, status: "healthy", expects: "10:02:00" },
      { at: "10:02:30", status: "warning" },
      { at: "10:03:05", status: "critical", tells: [opened("missed")] },
      {
        at: "10:04:02",
        says: heartbeat,
        status: "healthy",
        expects: "10:05:00",
        tells: [recovered("missed", 57, 1)],
      },
      { at: "10:04:53", says: heartbeat, status: "healthy", expects: "10:05:00" },
      { at: "10:04:54", says: heartbeat, status: "healthy", expects: "10:06:00" },
      { at: "10:07:05", status: "critical", tells: [opened("missed")] },
    ],
  },
  {
    title: "Grace longer than the period",
    watch: { schedule: "*/5 * * * *", graceSeconds: 900 },
    rows: [
      { at: "10:00:00", says: heartbeat, status: "healthy", expects: "10:05:00" },
      { at: "10:12:00", says: heartbeat, status: "healthy", expects: "10:15:00" },
      { at: "10:30:04", status: "warning", expects: "10:15:00" },
      { at: "10:30:05", status: "critical", tells: [opened("missed")] },
      { at: "10:35:05", status: "critical" },
      {
        at: "10:37:00",
        says: heartbeat,
        status: "healthy",
        expects: "10:40:00",
        tells: [recovered("missed", 415, 2)],
      },
    ],
  },
  {
    title: "A job two seconds early",
    watch: { schedule: HOURLY },
    rows: [
      { at: "10:00:00", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "10:59:58", says: heartbeat, status: "healthy", expects: "12:00:00" },
      { at: "11:59:58", says: start(), status: "healthy", expects: "13:00:00", deadline: "13:00:58" },
      { at: "12:59:57", says: complete(), status: "healthy", expects: "13:00:00", duration: 3599 },
      { at: "13:01:05", status: "critical", tells: [opened("missed")] },
      {
        at: "13:05:00",
        says: heartbeat,
        status: "healthy",
        expects: "14:00:00",
        tells: [recovered("missed", 235, 1)],
      },
    ],
  },
  {
    title: "A job two seconds early, prose: 10:59:00 would still fill 11:00:00",
    watch: { schedule: HOURLY },
    rows: [
      { at: "10:00:00", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "10:58:59", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "10:59:00", says: heartbeat, status: "healthy", expects: "12:00:00" },
    ],
  },
  {
    title: "Late success",
    watch: { schedule: HOURLY },
    rows: [
      { at: "10:00:10", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "11:00:30", status: "warning", expects: "11:00:00" },
      { at: "11:01:04", says: heartbeat, status: "healthy", expects: "12:00:00" },
      { at: "12:01:05", status: "critical", tells: [opened("missed")] },
      { at: "12:01:30", says: heartbeat, status: "healthy", expects: "13:00:00", tells: [recovered("missed", 25, 1)] },
      {
        at: "13:30:00",
        says: heartbeat,
        unwatched: true,
        status: "healthy",
        expects: "14:00:00",
        tells: [opened("missed", { at: "13:01:05" }), recovered("missed", 1735, 1)],
      },
      { at: "14:01:05", status: "critical", tells: [opened("missed")] },
      { at: "14:05:00", says: start(), status: "critical", expects: "15:00:00", deadline: "15:06:00" },
      {
        at: "14:06:00",
        says: complete(),
        status: "healthy",
        expects: "15:00:00",
        duration: 60,
        tells: [recovered("missed", 295, 1)],
      },
    ],
  },
  {
    title: "Schedule change while late, prose: the open slot is forgotten",
    watch: { schedule: HOURLY },
    rows: [
      { at: "10:00:10", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "11:00:40", says: declared("30 * * * *"), status: "healthy", expects: "11:30:00" },
      { at: "11:01:05", status: "healthy" },
      { at: "11:31:05", status: "critical", tells: [opened("missed")] },
    ],
  },
  {
    title: "Schedule change while late",
    watch: { schedule: HOURLY },
    rows: [
      { at: "10:00:10", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "11:01:05", status: "critical", tells: [opened("missed")] },
      // A report that carries another schedule declares it first (R12).
      { at: "11:05:00", says: declared("30 * * * *"), status: "critical", expects: "11:30:00" },
      { at: "11:05:00", says: start(), status: "critical", expects: "11:30:00", deadline: "12:06:00" },
      {
        at: "11:10:00",
        says: complete(),
        status: "healthy",
        expects: "11:30:00",
        duration: 300,
        tells: [recovered("missed", 535, 1)],
      },
      { at: "11:31:05", status: "critical", tells: [opened("missed")] },
    ],
  },
  {
    title: "At least every so often",
    watch: { schedule: null, everySeconds: 1_500 },
    declaredAt: "10:00:00",
    rows: [
      { at: "10:00:00", status: "pending", expects: "10:25:00" },
      { at: "10:10:00", says: heartbeat, status: "healthy", expects: "10:35:00" },
      { at: "10:20:00", says: start(), status: "healthy", expects: "10:35:00", deadline: "10:46:00" },
      { at: "10:40:00", status: "warning", expects: "10:35:00" },
      { at: "10:45:00", says: complete(), status: "healthy", expects: "11:10:00", duration: 1500 },
      { at: "11:10:30", status: "warning" },
      { at: "11:11:05", status: "critical", tells: [opened("missed")] },
      { at: "11:36:05", status: "critical" },
      {
        at: "11:40:00",
        says: heartbeat,
        status: "healthy",
        expects: "12:05:00",
        tells: [recovered("missed", 1735, 2)],
      },
      { at: "11:41:00", says: fail(), status: "critical", expects: "12:06:00", tells: [opened("failed")] },
    ],
  },
  {
    title: "No schedule",
    watch: { schedule: null },
    declaredAt: "03-02 10:00:00",
    rows: [
      { at: "03-02 10:00:00", status: "pending", expects: null },
      { at: "03-05 10:00:00", says: start(), status: "pending", deadline: "03-06 10:00:00" },
      { at: "03-06 10:00:00", status: "critical", tells: [opened("unfinished")] },
      { at: "03-06 11:00:00", status: "critical", tells: [reminder("unfinished")] },
      {
        at: "03-06 12:00:00",
        says: complete(),
        status: "healthy",
        duration: 93600,
        tells: [recovered("unfinished", 7200, 0)],
      },
      { at: "03-06 15:00:00", says: start(), status: "healthy", deadline: "03-07 15:01:00" },
      { at: "03-06 15:30:00", says: fail(), status: "critical", openRuns: 0, tells: [opened("failed")] },
      { at: "03-06 15:40:00", says: heartbeat, status: "healthy", tells: [recovered("failed", 600, 0)] },
    ],
  },
];

function declared(schedule: string) {
  return { kind: "declare", watch: { ...DEFAULT_WATCH, schedule } } as const;
}
