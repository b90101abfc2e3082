// Plans of timelines: random watches and random moves, as values that fast-check can shrink. A move says what happens
// and near which interesting instant; which instant that is depends on the state and is found in arbitrary.ts.

import fc from "fast-check";
import type { Reminders } from "../../../src/domain/monitor/incident.ts";
import type { Gap, PauseKind, Watch } from "../../../src/domain/monitor/monitor.ts";
import { type Checks, checkOutcomes } from "../../../src/domain/monitor/reported-outcomes.ts";
import type { MaintenanceWindow } from "../../../src/domain/schedule/maintenance.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../../src/domain/time.ts";

/** Instants worth standing at. `soon` to `weeks` lie at random after the step before. */
export type Anchor =
  | "soon"
  | "minutes"
  | "hours"
  | "days"
  | "weeks"
  | "due"
  | "expected slot"
  | "next slot"
  | "early edge"
  | "close"
  | "later close"
  | "run deadline"
  | "start whose deadline meets a close"
  | "start whose deadline meets maintenance"
  | "reminder"
  | "pause end"
  | "maintenance"
  | "retries after gap"
  | "forgotten run";

export type ActionEntry =
  | { readonly does: "heartbeat" | "complete"; readonly runId: string | null; readonly checks: Checks }
  | { readonly does: "start"; readonly runId: string | null; readonly attempt: number | null }
  | { readonly does: "fail"; readonly runId: string | null; readonly message: string | null }
  | { readonly does: "refused"; readonly further: boolean }
  | { readonly does: "declare"; readonly changes: Partial<Watch> }
  | { readonly does: "pause manually"; readonly until: Anchor | "before now" | "never" }
  | { readonly does: "resume"; readonly pause: PauseKind | "any that stands" }
  | {
      readonly does: "gaps";
      readonly length: number | Anchor;
      readonly times: number;
      readonly excuses: Gap["excuses"];
    }
  | { readonly does: "step back"; readonly by: number }
  | { readonly does: "step back and rebase" }
  | { readonly does: "many starts"; readonly count: number }
  /** A run that succeeds, and its start once more. */
  | { readonly does: "start, end and start"; readonly runId: string; readonly attempt: number | null }
  | {
      readonly does: "withdraw" | "pause by plan" | "acknowledge" | "unacknowledge" | "resolve" | "delete" | "wake";
    };

export interface Move {
  readonly near: Anchor;
  /** Milliseconds beside the anchor. */
  readonly beside: number;
  /** Where in a span at random, in thousandths. */
  readonly reach: number;
  readonly action: ActionEntry;
}

export interface Plan {
  readonly watch: Watch;
  readonly createdAt: Instant;
  readonly moves: readonly Move[];
  /** How long after the last move the clock is looked at once more. */
  readonly ending: number;
}

const SCHEDULES = [
  "* * * * *",
  "*/5 * * * *",
  "0-59/5 * * * *",
  "*/15 * * * *",
  "0 * * * *",
  "0 * * * *",
  "0,30 * * * *",
  "7,22,52 * * * *",
  "30 2 * * *",
  "0 2 * * *",
  "0 9,17 * * *",
  "*/20 8-18 * * 1-5",
  "0 12 1,15 * *",
  "0 6 13 * 5",
  null,
];

const ZONES = ["UTC", "Europe/Berlin", "America/New_York"];

/** Days before which, or soon after which, a clock of these zones changes, and one in the middle of winter. */
const BEGINNINGS = ["2026-03-02", "2026-03-07", "2026-03-28", "2026-10-24", "2026-10-31"].map((day) => Date.parse(day));

const REMINDERS: readonly Reminders[] = [
  { after: [HOUR, 6 * HOUR, DAY], every: DAY, max: 30 },
  { after: [10 * MINUTE], every: HOUR, max: 3 },
  { after: [], every: 30 * MINUTE, max: 5 },
  { after: [2 * HOUR], every: DAY, max: 0 },
];

/**
 * Some begin at the close of a slot, at a reminder's time, while another lasts, or at an hour that a clock change
 * skips.
 */
const WINDOWS = {
  weekly: { schedule: "0 2 * * 0", timezone: "Europe/Berlin", durationSeconds: 7200 },
  nightly: { schedule: "0 2 * * *", timezone: null, durationSeconds: 7200 },
  night: { schedule: "30 3 * * *", timezone: "UTC", durationSeconds: 2400 },
  often: { schedule: "30 */6 * * *", timezone: null, durationSeconds: 2700 },
  closing: { schedule: "5 1 */2 * * *", timezone: "UTC", durationSeconds: 1500 },
} satisfies Record<string, MaintenanceWindow>;

/** That come once: around the clock changes, some into others. */
const onceAt = (text: string, hours: number): MaintenanceWindow => {
  const from = Date.parse(`${text}Z`);
  return { from, until: from + hours * HOUR };
};
const ONCE = [
  onceAt("2026-03-03T02:00", 26),
  onceAt("2026-03-08T01:01:05", 1.5),
  onceAt("2026-03-29T00:30", 2),
  onceAt("2026-10-25T01:00", 0.5),
  onceAt("2026-11-01T12:00", 50),
];

const maintenance: fc.Arbitrary<readonly MaintenanceWindow[]> = fc.constantFrom(
  ...[[], [], [], [], [], [], [WINDOWS.weekly], [WINDOWS.nightly, WINDOWS.night]],
  ...[[WINDOWS.often], [WINDOWS.often, WINDOWS.closing], [WINDOWS.closing], ONCE, [WINDOWS.often, ...ONCE]],
);

const graceSeconds = fc.constantFrom(60, 60, 60, 90, 300, 900, 3600, 2 * 3600, 86_400);
const maxRuntimeSeconds = fc.constantFrom(null, null, 60, 600, 3600, 6000);
const alertAfter = fc.constantFrom(1, 1, 1, 2, 3);

/** In seconds: shorter than any grace, about as long as one, a day and a bit, and the length of a window (R44). */
const INTERVALS = [10, 30, 60, 90, 600, 3_600, 3_600, 7_200, 86_400, 90_000, 604_800];

/** What timelines are about: slots of schedules, or intervals, which may become schedules and back. */
export type Kind = "schedules" | "intervals";

const onSchedule = fc.record({ schedule: fc.constantFrom(...SCHEDULES), everySeconds: fc.constant(null) });
const atIntervals = fc.record({ schedule: fc.constant(null), everySeconds: fc.constantFrom(...INTERVALS) });

const intervalsMostly = fc.oneof({ weight: 11, arbitrary: atIntervals }, { weight: 1, arbitrary: onSchedule });

const watchWith = (rhythm: fc.Arbitrary<Pick<Watch, "schedule" | "everySeconds">>): fc.Arbitrary<Watch> =>
  fc.tuple(rhythm, anyTerms).map(([said, terms]) => ({ ...said, ...terms }));

const anyTerms = fc.record({
  timezone: fc.constantFrom(...ZONES),
  graceSeconds,
  maxRuntimeSeconds,
  alertAfterMisses: alertAfter,
  alertAfterFailures: alertAfter,
  reminders: fc.constantFrom(...REMINDERS),
  maintenance,
});

const anyAnchor: fc.Arbitrary<Anchor> = fc.constantFrom(
  ...(["soon", "soon", "minutes", "minutes", "hours", "hours", "days", "weeks", "due", "due", "due"] as const),
  ...([
    "expected slot",
    "next slot",
    "next slot",
    "early edge",
    "early edge",
    "close",
    "close",
    "later close",
  ] as const),
  ...(["run deadline", "run deadline", "reminder", "pause end", "retries after gap", "forgotten run"] as const),
  ...(["start whose deadline meets a close", "start whose deadline meets maintenance"] as const),
  ...(["start whose deadline meets maintenance", "maintenance", "maintenance"] as const),
);

const runId = fc.constantFrom(null, null, "a", "b", "c");
const attempt = fc.constantFrom(null, 0, 1, 2);
const expected = { equals: null, min: 10, max: null };
const expectations = new Map([
  ["rows", { ...expected, onFailure: "fail" as const }],
  ["files", { ...expected, onFailure: "warn" as const }],
]);
const checked = (rows: number, files: number): Checks =>
  checkOutcomes(expectations, new Map(Object.entries({ rows, files })));
const passed = checked(10, 10);
const checks = fc.constantFrom(passed, passed, passed, checked(10, 3), checked(0, 10));

const changeOf = (rhythm: fc.Arbitrary<Partial<Watch>>): fc.Arbitrary<Partial<Watch>> =>
  fc.oneof(
    rhythm,
    fc.record({ timezone: fc.constantFrom(...ZONES) }),
    fc.record({ graceSeconds }),
    fc.record({ maxRuntimeSeconds }),
    fc.record({ alertAfterMisses: alertAfter, alertAfterFailures: alertAfter }),
    fc.record({ maintenance }),
  );

const excuses = fc.constantFrom(undefined, undefined, undefined, undefined, "closed" as const, "nothing" as const);

const gapLength = fc.oneof(
  fc.constantFrom(1, SECOND, 6 * SECOND, MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, DAY, 3 * DAY),
  anyAnchor,
);

const does = <Name extends string>(...names: Name[]) => fc.constantFrom(...names).map((name) => ({ does: name }));

const deedWith = (rhythm: fc.Arbitrary<Partial<Watch>>): fc.Arbitrary<ActionEntry> =>
  fc.oneof(
    { weight: 22, arbitrary: fc.record({ does: fc.constantFrom("heartbeat", "complete"), runId, checks }) },
    { weight: 16, arbitrary: fc.record({ does: fc.constant("start"), runId, attempt }) },
    {
      weight: 10,
      arbitrary: fc.record({ does: fc.constant("fail"), runId, message: fc.constantFrom(null, "disk full") }),
    },
    { weight: 18, arbitrary: does("wake") },
    {
      weight: 10,
      arbitrary: fc.record({
        does: fc.constant("gaps"),
        length: gapLength,
        times: fc.constantFrom(1, 1, 1, 3),
        excuses,
      }),
    },
    { weight: 6, arbitrary: fc.record({ does: fc.constant("declare"), changes: changeOf(rhythm) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant("pause manually"),
        until: fc.oneof(fc.constantFrom("before now", "never"), anyAnchor),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        does: fc.constant("resume"),
        pause: fc.constantFrom("any that stands", "any that stands", "manual", "discovery", "plan"),
      }),
    },
    { weight: 7, arbitrary: does("acknowledge", "unacknowledge", "resolve", "withdraw", "pause by plan") },
    { weight: 4, arbitrary: fc.record({ does: fc.constant("refused"), further: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant("step back"),
        by: fc.constantFrom(1, 2 * SECOND, 90 * SECOND, HOUR, 3 * DAY),
      }),
    },
    { weight: 2, arbitrary: does("step back and rebase") },
    { weight: 1, arbitrary: does("delete") },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant("start, end and start"), runId: fc.constantFrom("a", "d"), attempt }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("many starts"), count: fc.constantFrom(2, 3, 99, 103) }) },
  );

const moveWith = (action: fc.Arbitrary<ActionEntry>): fc.Arbitrary<Move> =>
  fc.record({
    near: anyAnchor,
    beside: fc.constantFrom(0, 0, 0, -1, 1, -SECOND, SECOND, -5 * SECOND, 5 * SECOND),
    reach: fc.integer({ min: 0, max: 1000 }),
    action,
  });

/**
 * An interval changes to another one, or to a schedule and back; where there are schedules alone, one only to another.
 */
export const PLANS: Readonly<Record<Kind, fc.Arbitrary<Plan>>> = {
  schedules: planOf(watchWith(onSchedule), moveWith(deedWith(fc.record({ schedule: fc.constantFrom(...SCHEDULES) })))),
  intervals: planOf(watchWith(intervalsMostly), moveWith(deedWith(fc.oneof(atIntervals, atIntervals, onSchedule)))),
};

function planOf(watch: fc.Arbitrary<Watch>, anyMove: fc.Arbitrary<Move>): fc.Arbitrary<Plan> {
  return fc.record({
    watch,
    createdAt: fc
      .tuple(fc.constantFrom(...BEGINNINGS), fc.integer({ min: 0, max: 2 * 86_400 }))
      .map(([day, seconds]) => day + seconds * SECOND),
    moves: fc.oneof(
      fc.array(anyMove, { minLength: 1, maxLength: 10, size: "max" }),
      fc.array(anyMove, { minLength: 10, maxLength: 36, size: "max" }),
    ),
    ending: fc.constantFrom(0, HOUR, 3 * DAY),
  });
}
