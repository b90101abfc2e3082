// Rows of docs/messages.md: how incidents go on, and how they end.

import type { Signal } from "../../src/domain/monitor/transition.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { complete, fail, heartbeat, start } from "../support/timeline-table.ts";
import { WORKED, wrong } from "./openings.ts";
import { lastOf, type Section } from "./row.ts";

export const REMINDERS: Section = {
  title: "It goes on",
  about: "`ContinuedFailure` as a reminder: 1 h, 6 h and 24 h after the opening, then daily, 30 at most.",
  rows: [
    lastOf("a silent job, first reminder", { steps: [WORKED], until: "04:02:00" }),
    lastOf("after 27 days", { steps: [WORKED], until: "03-29 03:02:00" }),
    lastOf("the last reminder", {
      watch: { reminders: { after: [HOUR], every: DAY, max: 3 } },
      steps: [WORKED],
      until: "03-04 04:02:00",
    }),
    lastOf("a silent job is running by now", {
      watch: { schedule: "0 3 * * *", maxRuntimeSeconds: 7_200 },
      steps: [WORKED, ["03:40:00", start("r4")]],
      until: "04:02:00",
    }),
    lastOf("a job that never reported", { until: "04:02:00" }),
    lastOf("a failing job", {
      watch: { schedule: "0 3 * * *" },
      steps: [
        ["03:00:20", fail("exit status 1")],
        ["03:20:00", fail("exit status 1")],
        ["03:40:00", fail("exit status 2")],
      ],
      until: "04:02:00",
    }),
    lastOf("one failure, of one run", {
      steps: [
        ["03:00:05", start("r3")],
        ["03:21:10", fail("exit status 2", "r3")],
      ],
      until: "04:30:00",
    }),
    lastOf("a run that is overdue", {
      watch: { maxRuntimeSeconds: 7_200 },
      steps: [["02:00:00", start("r3")]],
      until: "05:01:00",
    }),
    lastOf("an overdue run without id", {
      watch: { maxRuntimeSeconds: 7_200 },
      steps: [["02:00:00", start()]],
      until: "05:01:00",
    }),
    lastOf("several overdue runs", {
      watch: { schedule: null, maxRuntimeSeconds: 600 },
      steps: [
        ["02:00:00", start("r3")],
        ["02:20:00", start("r4")],
        ["02:40:00", start("r5")],
      ],
      until: "03:15:00",
    }),
    lastOf("wrong results", { steps: [["03:00:20", wrong({ rows: 0, files: 1 })]], until: "04:01:00" }),
    lastOf("missing, then failing", {
      watch: { schedule: "0 * * * *" },
      steps: [
        ["01:00:10", heartbeat],
        ["02:30:00", fail("exit status 1")],
      ],
      until: "08:02:00",
    }),
    lastOf("failing, then silent", {
      watch: { schedule: "0 * * * *" },
      setUp: "02:30:00",
      steps: [["03:00:20", fail("exit status 2", "r3")]],
      until: "09:00:30",
    }),
  ],
};

/** A success that happened so many seconds before it was heard. */
const late = (ageSeconds: number): Signal => ({ ...heartbeat, ageSeconds }) as Signal;

const SILENT = { watch: { schedule: "0 * * * *" } };

export const RECOVERIES: Section = {
  title: "It is over",
  about: "`Recovered`. Each tells the whole story by itself.",
  rows: [
    lastOf("a missed report came late", { steps: [WORKED, ["06:12:09", heartbeat]], until: "06:13:00" }),
    lastOf("it had run, and its report came late", {
      steps: [WORKED, ["08:13:00", late(18_770)]],
      until: "08:14:00",
    }),
    lastOf("its job was called Backup until then", {
      steps: [WORKED, ["06:12:09", heartbeat]],
      until: "06:13:00",
      notifiedAs: "Backup",
    }),
    lastOf("of three runs two had run, and were heard late", {
      ...SILENT,
      steps: [
        ["00:00:10", heartbeat],
        ["04:00:10", late(10_800)],
        ["04:00:11", late(3_600)],
        ["04:00:12", heartbeat],
      ],
      until: "04:00:20",
    }),
    lastOf("three runs were missed", {
      ...SILENT,
      steps: [
        ["00:00:10", heartbeat],
        ["04:00:10", heartbeat],
      ],
      until: "04:00:20",
    }),
    lastOf(
      "and rollcall could not hear for some",
      {
        ...SILENT,
        steps: [
          ["00:00:10", heartbeat],
          ["04:00:10", heartbeat],
        ],
        until: "04:00:20",
      },
      { missedSlots: 1, unheardSlots: 2 },
    ),
    lastOf("it reports for the first time", { steps: [["05:00:00", heartbeat]], until: "05:01:00" }),
    lastOf("its first run ends well", {
      steps: [
        ["05:00:00", start("r1")],
        ["05:20:00", complete("r1")],
      ],
      until: "05:21:00",
    }),
    lastOf("its first report was a failure", {
      steps: [
        ["05:00:00", fail("exit status 1")],
        ["05:20:00", heartbeat],
      ],
      until: "05:21:00",
    }),
    lastOf("a failure is followed by a success", {
      steps: [
        ["03:00:20", fail("exit status 2")],
        ["03:30:00", heartbeat],
      ],
      until: "03:31:00",
    }),
    lastOf("an overdue run ends well after all", {
      watch: { maxRuntimeSeconds: 3_600 },
      steps: [
        ["03:00:05", start("r3")],
        ["04:30:00", complete("r3")],
      ],
      until: "04:31:00",
    }),
    lastOf("several causes", {
      ...SILENT,
      steps: [
        ["01:00:10", heartbeat],
        ["02:30:00", fail("exit status 1")],
        ["04:00:10", heartbeat],
      ],
      until: "04:00:20",
    }),
    lastOf("a success while it is paused", {
      steps: [
        ["03:00:20", fail("exit status 2")],
        ["03:10:00", { kind: "pause", pause: "manual", until: null }],
        ["03:30:00", heartbeat],
      ],
      until: "03:31:00",
    }),
    lastOf("a job without a schedule", {
      watch: { schedule: null },
      steps: [
        ["03:00:20", fail("exit status 2")],
        ["03:30:00", heartbeat],
      ],
      until: "03:31:00",
    }),
    lastOf(
      "it had failed five times, each within an hour of the one before, and has been well for 15 minutes",
      {
        steps: [
          ["02:55:00", fail("exit status 1")],
          ["02:58:00", heartbeat],
        ],
        until: "02:58:10",
      },
      { flapping: { times: 5, since: "2026-03-02T02:10:00.000Z", until: "2026-03-02T02:55:00.000Z", failed: true } },
    ),
    lastOf("closed by hand", { steps: [WORKED, ["06:00:00", { kind: "resolve" }]], until: "06:00:10" }),
    lastOf("withdrawn by its registry", { steps: [WORKED, ["06:00:00", { kind: "withdraw" }]], until: "06:00:10" }),
    lastOf(
      "a backup of rollcall was restored",
      { steps: [WORKED, ["06:00:00", { kind: "delete" }]], until: "06:00:10" },
      { reason: "restored", status: "warning", url: null },
    ),
    lastOf("deleted", { steps: [WORKED, ["06:00:00", { kind: "delete" }]], until: "06:00:10" }),
  ],
};

const NOW = { incidents: 0, newest: null, acknowledgedAt: null, acknowledgedBy: null, closedAt: null, closedBy: null };
const AGAIN = { incidentId: "13", openedAt: "2026-03-02T03:20:00.000Z", closedAt: null };

export const LATE: Section = {
  title: "It arrives late",
  about: "Over 15 minutes late a message says so, and what has happened since.",
  rows: [
    lastOf("nothing has happened since", { steps: [WORKED], until: "03:02:00" }, {}, 45 * 60_000),
    lastOf(
      "it has recovered since",
      { steps: [WORKED], until: "03:02:00" },
      { since: { ...NOW, closedAt: "2026-03-02T03:10:00.000Z", closedBy: "success" } },
      45 * 60_000,
    ),
    lastOf(
      "somebody has closed it since",
      { steps: [WORKED], until: "03:02:00" },
      { since: { ...NOW, closedAt: "2026-03-02T03:10:00.000Z", closedBy: "resolved" } },
      45 * 60_000,
    ),
    lastOf(
      "somebody has acknowledged it since",
      { steps: [WORKED], until: "03:02:00" },
      { since: { ...NOW, acknowledgedAt: "2026-03-02T03:10:00.000Z", acknowledgedBy: "Ada" } },
      45 * 60_000,
    ),
    lastOf(
      "it has recovered and failed again since",
      { steps: [WORKED], until: "03:02:00" },
      { since: { ...NOW, closedAt: "2026-03-02T03:10:00.000Z", closedBy: "success", incidents: 1, newest: AGAIN } },
      45 * 60_000,
    ),
    lastOf(
      "a recovery, and it has failed again since",
      {
        steps: [
          ["03:00:20", fail("exit status 2")],
          ["03:10:00", heartbeat],
        ],
        until: "03:11:00",
      },
      { since: { ...NOW, incidents: 1, newest: AGAIN } },
      45 * 60_000,
    ),
  ],
};

export const ACKNOWLEDGEMENTS: Section = {
  title: "A person acknowledged it",
  about: "Told to pagers alone, which acknowledge their own incident.",
  rows: [
    lastOf("an hour after it opened", {
      steps: [WORKED, ["04:01:05", { kind: "acknowledge", by: "Ada" }]],
      until: "04:01:10",
    }),
  ],
};
