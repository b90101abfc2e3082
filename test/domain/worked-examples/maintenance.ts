// Worked examples of maintenance windows (R24): an hourly job, and a window from 12:00 to 14:00 every day where an
// example names no other.

import {
  DEFAULT_WATCH,
  type Example,
  fail,
  heartbeat,
  instantOf,
  opened,
  type Row,
  recovered,
} from "../../support/timeline-table.ts";

const HOURLY = { schedule: "0 * * * *" };
const NOON = { schedule: "0 12 * * *", timezone: null, durationSeconds: 7200 };
const MAINTAINED = { ...HOURLY, maintenance: [NOON] };

const healthyBefore: readonly Row[] = [
  { at: "10:00:10", says: heartbeat, status: "healthy", expects: "11:00:00" },
  { at: "11:00:10", says: heartbeat, status: "healthy", expects: "12:00:00" },
];

const pausedUntil = (at: string, time: string | null): Row => ({
  at,
  says: { kind: "pause", pause: "manual", until: time === null ? null : instantOf(time) },
  status: "paused",
});

const missedAtThree: Row = { at: "15:01:05", status: "critical", tells: [opened("missed")] };

export const MAINTENANCE_EXAMPLES: readonly Example[] = [
  {
    title: "Nothing is missed in a window, and the first slot after it is expected",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      { at: "11:59:59", status: "healthy", expects: "12:00:00" },
      { at: "12:00:00", status: "paused" },
      { at: "12:01:05", status: "paused" },
      { at: "13:59:59", status: "paused" },
      { at: "14:00:00", status: "healthy", expects: "15:00:00" },
      missedAtThree,
    ],
  },
  {
    title: "A window is settled however late somebody looks",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      {
        at: "15:30:00",
        unwatched: true,
        says: heartbeat,
        status: "healthy",
        expects: "16:00:00",
        tells: [opened("missed", { at: "15:01:05" }), recovered("missed", 1735, 1)],
      },
    ],
  },
  {
    title: "A slot that closes as a window begins is not missed",
    watch: { ...HOURLY, maintenance: [{ ...NOON, schedule: "5 1 12 * * *" }] },
    rows: [
      ...healthyBefore,
      { at: "12:01:04", status: "warning", expects: "12:00:00" },
      { at: "12:01:05", status: "paused" },
      { at: "14:01:05", status: "healthy", expects: "15:00:00" },
    ],
  },
  {
    title: "A slot that closed a moment before a window is missed, and its incident rests",
    watch: { ...HOURLY, maintenance: [{ ...NOON, schedule: "6 1 12 * * *" }] },
    rows: [
      ...healthyBefore,
      { at: "12:01:05", status: "critical", tells: [opened("missed")] },
      { at: "12:01:06", status: "paused" },
      { at: "13:01:05", status: "paused" },
      { at: "14:01:06", status: "critical", expects: "15:00:00" },
      { at: "15:00:02", says: heartbeat, status: "healthy", tells: [recovered("missed", 10737, 1)] },
    ],
  },
  {
    title: "A window makes a pause by hand longer",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      pausedUntil("11:30:00", "13:00:00"),
      { at: "13:00:00", status: "paused" },
      { at: "14:00:00", status: "healthy", expects: "15:00:00" },
      missedAtThree,
    ],
  },
  {
    title: "A pause by hand that outlasts a window stays, and so does one without an end",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      pausedUntil("11:30:00", "14:30:00"),
      { at: "14:00:00", status: "paused" },
      { at: "14:30:00", status: "healthy", expects: "15:00:00" },
      pausedUntil("14:40:00", null),
      { at: "03-03 14:00:00", status: "paused" },
    ],
  },
  {
    title: "A pause that ends as a window begins goes on, and what it keeps quiet stays so",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      pausedUntil("11:10:00", "12:00:00"),
      { at: "11:30:00", says: fail("disk full"), status: "paused" },
      { at: "12:00:00", status: "paused" },
      { at: "14:00:00", status: "critical", tells: [opened("failed", { message: "disk full" })] },
    ],
  },
  {
    title: "A fail in a window is told when it is over",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      { at: "13:00:05", says: fail(), status: "paused" },
      { at: "14:00:00", status: "critical", tells: [opened("failed")] },
    ],
  },
  {
    title: "Whoever resumes the monitor in a window is obeyed until the next one",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      { at: "12:30:00", says: { kind: "resume", pause: "manual" }, status: "healthy", expects: "13:00:00" },
      { at: "12:40:00", says: declared({ ...MAINTAINED, graceSeconds: 90 }), status: "healthy" },
      { at: "13:01:35", status: "critical", tells: [opened("missed")] },
      { at: "13:30:00", says: heartbeat, status: "healthy", tells: [recovered("missed", 1705, 1)] },
      { at: "14:00:01", says: heartbeat, status: "healthy", expects: "15:00:00" },
      { at: "14:59:59", says: declared({ schedule: null, maintenance: [NOON] }), status: "healthy", expects: null },
      { at: "03-03 12:00:00", status: "paused" },
      { at: "03-03 14:00:00", status: "healthy" },
    ],
  },
  {
    title: "A window in whose span a declaration comes begins at once",
    watch: HOURLY,
    rows: [
      ...healthyBefore,
      { at: "12:00:10", says: heartbeat, status: "healthy", expects: "13:00:00" },
      { at: "12:30:00", says: declared(MAINTAINED), status: "paused" },
      { at: "13:01:05", status: "paused" },
      { at: "14:00:00", status: "healthy", expects: "15:00:00" },
    ],
  },
  {
    title: "A monitor that is created in a window begins paused",
    watch: MAINTAINED,
    declaredAt: "12:30:00",
    rows: [
      { at: "12:30:00", status: "paused" },
      { at: "14:00:00", status: "pending", expects: "15:00:00" },
    ],
  },
  {
    title: "A window under a pause by discovery outlasts it",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      { at: "11:30:00", says: { kind: "withdraw" }, status: "paused" },
      { at: "13:00:00", says: { kind: "resume", pause: "discovery" }, status: "paused" },
      { at: "14:00:00", status: "healthy", expects: "15:00:00" },
    ],
  },
  {
    title: "R26: a window that only a wrong clock had reached is over when the clock is put right",
    watch: MAINTAINED,
    rows: [
      ...healthyBefore,
      { at: "12:30:00", says: heartbeat, status: "paused" },
      {
        at: "11:10:00",
        unwatched: true,
        says: { kind: "rebase", backMs: 3_600_000 },
        status: "healthy",
        expects: "12:00:00",
      },
      { at: "12:00:00", status: "paused" },
      { at: "14:00:00", status: "healthy", expects: "15:00:00" },
    ],
  },
];

function declared(watch: Example["watch"]) {
  return { kind: "declare", watch: { ...DEFAULT_WATCH, ...watch } } as const;
}
