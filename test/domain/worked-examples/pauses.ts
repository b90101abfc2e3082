// The worked examples of docs/contract.md that turn on pauses. Each row of its tables is a row here, the variants told
// in prose are examples of their own.

import { type Example, heartbeat, opened, type Row, recovered } from "../../support/timeline-table.ts";

const HOURLY = { schedule: "0 * * * *" };

const beforeThePause: readonly Row[] = [
  { at: "10:00:10", says: heartbeat, status: "healthy", expects: "11:00:00" },
  { at: "11:01:05", status: "critical", tells: [opened("missed")] },
];

const PAUSED_UNTIL_1330: Row = {
  at: "11:30:00",
  says: { kind: "pause", pause: "manual", until: Date.parse("2026-03-02T13:30:00Z") },
  status: "paused",
};

export const PAUSE_EXAMPLES: readonly Example[] = [
  {
    title: "Pause over an open incident",
    watch: HOURLY,
    rows: [
      ...beforeThePause,
      PAUSED_UNTIL_1330,
      { at: "11:45:00", says: heartbeat, status: "paused", tells: [recovered("missed", 2635, 1)] },
      { at: "12:01:05", status: "paused" },
      { at: "13:30:00", status: "healthy", expects: "14:00:00" },
      { at: "14:01:05", status: "critical", tells: [opened("missed")] },
    ],
  },
  {
    title: "Pause over an open incident, prose: nothing comes under the pause",
    watch: HOURLY,
    rows: [
      ...beforeThePause,
      PAUSED_UNTIL_1330,
      { at: "12:01:05", status: "paused" },
      { at: "13:30:00", status: "critical", expects: "14:00:00" },
      {
        at: "14:00:05",
        says: heartbeat,
        status: "healthy",
        expects: "15:00:00",
        tells: [recovered("missed", 10740, 1)],
      },
    ],
  },
  {
    title: "Withdrawal under a pause",
    watch: HOURLY,
    declaredAt: "09:30:00",
    rows: [
      { at: "09:30:00", status: "pending", expects: "10:00:00" },
      { at: "10:00:10", says: heartbeat, status: "healthy", expects: "11:00:00" },
      { at: "11:01:05", status: "critical", tells: [opened("missed")] },
      { at: "11:30:00", says: { kind: "pause", pause: "manual", until: null }, status: "paused" },
      {
        at: "11:40:00",
        says: { kind: "withdraw" },
        status: "paused",
        tells: [recovered("missed", 2335, 1, "withdrawn")],
      },
      { at: "11:50:00", says: { kind: "resume", pause: "discovery" }, status: "paused" },
      { at: "12:10:00", says: { kind: "resume", pause: "manual" }, status: "healthy", expects: "13:00:00" },
      { at: "13:01:05", status: "critical", tells: [opened("missed")] },
    ],
  },
];
