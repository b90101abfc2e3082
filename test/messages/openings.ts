// Rows of docs/messages.md: what opens an incident, and what is new in one that is open.

import { checkOutcomes, type Expectation } from "../../src/domain/monitor/reported-outcomes.ts";
import type { Signal } from "../../src/domain/monitor/transition.ts";
import { complete, fail, heartbeat, start } from "../support/timeline-table.ts";
import { lastOf, type Section, type Step } from "./row.ts";

const AT_LEAST_ONE: Expectation = { equals: null, min: 1, max: null, onFailure: "fail" };
const EXPECTED = new Map([
  ["rows", AT_LEAST_ONE],
  ["files", AT_LEAST_ONE],
]);

/** An end that reports these numbers where a row and a file at least are expected. */
export const wrong = (observed: Readonly<Record<string, number>>, runId: string | null = null): Signal => ({
  kind: "complete",
  runId,
  attempt: null,
  checks: checkOutcomes(EXPECTED, new Map(Object.entries(observed))),
});

/** It has worked the night before. */
export const WORKED: Step = ["03-01 13:00:00", heartbeat];

/** On this many nights it reported three hours late, as if it lived elsewhere. */
const elsewhere: readonly Step[] = ["02-26", "02-27", "02-28", "03-01"].map((day) => [`${day} 02:00:20`, heartbeat]);

const ON_WEB1 = { host: "web1", user: "backup", where: "backup.timer", unit: "backup.service" };

export const MISSED: Section = {
  title: "It did not report",
  about: "`InitialFailure` with cause `missed`, or `NeverExecuted` when nothing has ever come.",
  rows: [
    lastOf("a daily job is silent", { steps: [WORKED], until: "03:02:00" }),
    lastOf("`rollcall discover` has said where it runs", { steps: [WORKED], until: "03:02:00" }, { runsOn: ON_WEB1 }),
    lastOf("it has never reported", { until: "03:02:00" }),
    lastOf("it must report at least every 25 hours", {
      watch: { schedule: null, everySeconds: 90_000 },
      steps: [WORKED],
      until: "03-02 14:02:00",
    }),
    lastOf("it may be 24 h 30 m late", {
      watch: { schedule: "0 3 * * 1", graceSeconds: 88_200 },
      steps: [WORKED],
      until: "03-03 04:00:00",
    }),
    lastOf("the second in a row, `alert_after_misses = 2`", {
      watch: { schedule: "0 * * * *", alertAfterMisses: 2 },
      steps: [["00:00:10", heartbeat]],
      until: "02:02:00",
    }),
    lastOf("never reported, `alert_after_misses = 2`", {
      watch: { schedule: "0 * * * *", alertAfterMisses: 2 },
      setUp: "00:30:00",
      until: "02:02:00",
    }),
    lastOf("reports came an hour off, as in Berlin", {
      setUp: "02-25 12:00:00",
      steps: elsewhere.slice(0, 3),
      zones: ["Europe/Berlin", "UTC"],
      until: "02-28 03:02:00",
    }),
    lastOf("it lives in Berlin", { watch: { timezone: "Europe/Berlin" }, steps: [WORKED], until: "02:02:00" }),
    lastOf("in New York, where it is another day", {
      watch: { timezone: "America/New_York", schedule: "0 22 * * *" },
      steps: [WORKED],
      until: "03:02:00",
    }),
    lastOf("several applications; severity `critical`", {
      steps: [WORKED],
      until: "03:02:00",
      instance: { onlyApplication: false, commandUser: null, commandLine: null },
      presentation: { severity: "critical", owner: "ops", environment: "production" },
    }),
    lastOf(
      "its report was refused",
      { steps: [WORKED], until: "03:02:00" },
      {
        refusedReport: {
          at: "2026-03-02T03:00:07.000Z",
          report: "heartbeat",
          error: "INVALID_SCHEDULE",
          reason: "schedule: day of week 7 is out of range, it must be 0 to 6",
        },
      },
    ),
    lastOf(
      "rollcall was restarted just then",
      { steps: [WORKED], until: "03:02:00" },
      { gaps: [{ from: "2026-03-02T03:00:28.000Z", to: "2026-03-02T03:00:32.000Z", reason: "stopped", times: 1 }] },
    ),
    lastOf(
      "it must report at least every 25 hours, and rollcall could not hear twice since",
      { watch: { schedule: null, everySeconds: 90_000 }, steps: [WORKED], until: "03-02 14:02:00" },
      {
        gaps: [
          { from: "2026-03-02T02:00:28.000Z", to: "2026-03-02T02:00:32.000Z", reason: "stopped", times: 1 },
          { from: "2026-03-02T11:02:00.000Z", to: "2026-03-02T11:52:00.000Z", reason: "storage", times: 1 },
        ],
      },
    ),
    lastOf("no reminders are configured", {
      watch: { reminders: { after: [], every: 1, max: 0 } },
      steps: [WORKED],
      until: "03:02:00",
    }),
    lastOf("its key is more than a shell takes as it is", {
      key: "backup; reboot",
      name: "backup; reboot",
      steps: [WORKED],
      until: "03:02:00",
    }),
  ],
};

export const FAILED: Section = {
  title: "It reported a failure",
  about: "`InitialFailure` with cause `failed`. What the job said is line 2.",
  rows: [
    lastOf("with a message", { steps: [["03:00:20", fail("pg_dump: no space left on device")]], until: "03:00:30" }),
    lastOf("by `rollcall run`, with the last line of stderr", {
      steps: [["03:00:20", fail("exit status 11: rsync: No space left on device")]],
      until: "03:00:30",
    }),
    lastOf("killed, as when memory runs out", { steps: [["03:00:20", fail("exit status 137")]], until: "03:00:30" }),
    lastOf("its command is missing", { steps: [["03:00:20", fail("exit status 127")]], until: "03:00:30" }),
    lastOf("its report came late", {
      steps: [WORKED, ["08:13:00", { ...fail("disk full"), ageSeconds: 18_750 } as Signal]],
      until: "08:14:00",
    }),
    lastOf("without a message", { steps: [["03:00:20", fail()]], until: "03:00:30" }),
    lastOf("of a run with id and start", {
      steps: [
        ["03:00:05", start("r3")],
        ["03:21:10", fail("exit status 2", "r3")],
      ],
      until: "03:30:00",
    }),
    lastOf(
      "of a run of a known job that usually takes three minutes",
      {
        steps: [
          ["03:00:05", start("r3")],
          ["03:21:10", fail("ended by SIGTERM", "r3")],
        ],
        until: "03:30:00",
      },
      { runsOn: ON_WEB1, usualSeconds: 180 },
    ),
    lastOf("of a run with a start, without id or message", {
      steps: [
        ["03:00:05", start()],
        ["03:21:10", fail()],
      ],
      until: "03:30:00",
    }),
    lastOf("the third in a row, `alert_after_failures = 3`", {
      watch: { schedule: "0 * * * *", alertAfterFailures: 3 },
      setUp: "00:30:00",
      steps: [
        ["01:00:20", fail("exit status 1")],
        ["02:00:20", fail("exit status 1")],
        ["03:00:20", fail("exit status 1")],
      ],
      until: "03:00:30",
    }),
    lastOf("a job without a schedule", {
      watch: { schedule: null },
      steps: [["03:00:20", fail("exit status 1")]],
      until: "03:00:30",
    }),
    lastOf("while the plan pauses it", {
      steps: [WORKED, ["02:00:00", { kind: "pause", pause: "plan" }], ["03:00:20", fail("exit status 1")]],
      until: "03:00:30",
    }),
    lastOf("while it is withdrawn from its registry", {
      steps: [WORKED, ["02:00:00", { kind: "withdraw" }], ["03:00:20", fail("exit status 1")]],
      until: "03:00:30",
    }),
    lastOf("under a pause by hand, told when the pause ends", {
      steps: [
        WORKED,
        ["02:00:00", { kind: "pause", pause: "manual", until: Date.parse("2026-03-02T04:00:00Z") }],
        ["03:00:20", fail("exit status 1", "r3")],
      ],
      until: "04:00:10",
    }),
  ],
};

export const UNFINISHED: Section = {
  title: "A run has not ended",
  about: "`InitialFailure` with cause `unfinished`. The limit is `maxRuntime`, or a guess.",
  rows: [
    lastOf("`maxRuntime` of two hours", {
      watch: { maxRuntimeSeconds: 7_200 },
      steps: [["03:00:05", start("r3")]],
      until: "05:01:00",
    }),
    lastOf("the same without a run id", {
      watch: { maxRuntimeSeconds: 7_200 },
      steps: [["03:00:05", start()]],
      until: "05:01:00",
    }),
    lastOf("no `maxRuntime`, a daily job, 30 minutes of grace", {
      watch: { graceSeconds: 1_800 },
      steps: [["03:00:00", start("r3")]],
      until: "03-03 03:30:01",
    }),
    lastOf("no `maxRuntime`, the run before took long", {
      watch: { schedule: "*/10 * * * *" },
      steps: [
        ["02:00:05", start("r2")],
        ["02:09:05", complete("r2")],
        ["02:10:05", start("r3")],
        ["02:19:05", complete("r3")],
        ["02:20:05", start("r4")],
      ],
      until: "02:45:00",
    }),
    lastOf(
      "its start came two hours late",
      {
        watch: { schedule: null, maxRuntimeSeconds: 3_600 },
        steps: [WORKED, ["05:00:00", { ...start("r3"), ageSeconds: 7_195 } as Signal]],
        until: "05:06:00",
      },
      { startHeardAt: "2026-03-02T05:00:00.000Z" },
    ),
    lastOf(
      "its end was refused",
      { watch: { maxRuntimeSeconds: 7_200 }, steps: [["03:00:05", start("r3")]], until: "05:01:00" },
      {
        refusedReport: {
          at: "2026-03-02T03:30:00.000Z",
          report: "complete",
          error: "INVALID_REQUEST",
          reason: "outcomes: at most 5 are allowed",
        },
      },
    ),
    lastOf("neither `maxRuntime` nor schedule", {
      watch: { schedule: null },
      steps: [["03:00:05", start("r3")]],
      until: "03-03 03:01:00",
    }),
  ],
};

export const OUTCOME: Section = {
  title: "A result is not what was expected",
  about: "`InitialFailure` with cause `outcome`.",
  rows: [
    lastOf("a number is wrong", {
      steps: [
        ["03:00:05", start("r3")],
        ["03:21:10", wrong({ rows: 0, files: 4 }, "r3")],
      ],
      until: "03:30:00",
    }),
    lastOf("a number is missing", { steps: [["03:00:20", wrong({ rows: 7 })]], until: "03:30:00" }),
  ],
};

export const NEW_CAUSES: Section = {
  title: "Something else is wrong too",
  about: "`ContinuedFailure` for a cause that is new to the incident: told at once, once.",
  rows: [
    lastOf("a job that is missing reports a failure", {
      watch: { schedule: "0 * * * *" },
      steps: [
        ["01:00:10", heartbeat],
        ["04:30:00", fail("exit status 1")],
      ],
      until: "04:30:10",
    }),
    lastOf("a job that failed is missing", {
      watch: { schedule: "0 * * * *" },
      setUp: "02:30:00",
      steps: [["03:00:20", fail("exit status 2", "r3")]],
      until: "04:02:00",
    }),
    lastOf("a job that failed has a run that does not end", {
      watch: { schedule: null, maxRuntimeSeconds: 600 },
      steps: [
        ["03:00:20", fail("exit status 2", "r3")],
        ["03:10:00", start("r4")],
      ],
      until: "03:21:00",
    }),
    lastOf("in an acknowledged incident", {
      watch: { schedule: "0 * * * *" },
      setUp: "02:30:00",
      steps: [
        ["03:00:20", fail("exit status 2", "r3")],
        ["03:20:00", { kind: "acknowledge", by: "Ada" }],
      ],
      until: "04:02:00",
    }),
  ],
};
