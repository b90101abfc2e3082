// Rows of docs/messages.md: what rollcall says of itself, tests, and many messages told as one.

import { type DigestKind, digestOf } from "../../src/domain/message/digest.ts";
import { type ListedReported, type NoticeDetails, noticeMessage } from "../../src/domain/message/notice.ts";
import { listedLostMessages, refusedDetails } from "../../src/domain/message/notice-lists.ts";
import { drillMessage, testMessage } from "../../src/domain/message/test-message.ts";
import { type GapReason, oneGap } from "../../src/domain/monitor/gap.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { PLAIN_PRESENTATION } from "../support/alerts.ts";
import {
  GAP_FROM,
  GAP_TO,
  NOTICE_AT,
  refusedAt,
  refusedOf,
  unheardIn,
  unknownOf,
  watchOf,
} from "../support/notices.ts";
import { fail, heartbeat, start } from "../support/timeline-table.ts";
import { WORKED } from "./openings.ts";
import { alertsOf, HOME, type Row, row, type Section, type Story } from "./row.ts";

const notice = (when: string, told: NoticeDetails, instance = HOME): Row =>
  row(when, noticeMessage(told, NOTICE_AT, instance));

const gap = (reason: GapReason, to = GAP_TO) => oneGap(GAP_FROM, to, reason);
const UTC = watchOf("30 2 * * *");
const backup = unknownOf({ application: "default", watch: UTC });
/** So many of its slots fell into the gap. */
const pollOf = (count: number) =>
  unknownOf({
    application: "default",
    key: "poll",
    name: "Poll",
    watch: watchOf("* * * * *"),
    slots: { first: GAP_FROM, count },
    expectedAt: count === 120 ? NOTICE_AT : GAP_FROM + count * MINUTE,
  });
const poll = pollOf(120);
const running = unknownOf({
  application: "default",
  key: "import",
  name: "Import",
  watch: watchOf(null),
  slots: null,
  runs: [{ runId: "r7", startedAt: GAP_FROM - MINUTE }],
  expectedAt: null,
});

export const GAPS: Section = {
  title: "rollcall could not hear",
  about: "A `service.notice`: a question, not an alarm.",
  rows: [
    notice("one job", unheardIn(gap("stopped"), backup)),
    notice("several jobs", unheardIn(gap("stopped"), backup, poll, running)),
    notice("down for a second", unheardIn(gap("stopped", GAP_FROM + SECOND), pollOf(1))),
    notice(
      "it was restarted again and again",
      unheardIn(
        { ...oneGap(GAP_FROM, GAP_FROM + 15 * MINUTE, "stopped"), outages: 17, silentMs: 136 * SECOND },
        pollOf(16),
      ),
    ),
    notice("its computer was suspended", unheardIn(gap("stalled"), backup)),
    notice("its clock was set ahead", unheardIn(gap("clock"), backup)),
    notice("its disk was full", unheardIn(gap("storage"), backup)),
    notice("a backup was restored", unheardIn(gap("restored"), backup)),
    notice("others may report still", { ...unheardIn(gap("stopped"), pollOf(3)), awaitedTotal: 2 }),
    notice("several applications", unheardIn(gap("stopped"), backup), { ...HOME, onlyApplication: false }),
  ],
};

const limited = refusedOf({ application: "default", watch: UTC });
const LEDGER = { application: "default", key: "ledger", name: "Ledger", watch: UTC };
const failed = refusedOf({ ...LEDGER, fails: [{ at: GAP_FROM, message: "exit status 1" }] });

/** A report of Ledger that was refused, not by the rate limit. */
const bad = (watched: boolean, changes: Parameters<typeof refusedAt>[1] = {}) => ({
  ...refusedOf({ ...LEDGER, watched }),
  refused: [
    refusedAt(GAP_FROM, {
      error: "INVALID_SCHEDULE",
      field: "schedule",
      reason: "schedule: day of week 7 is out of range, it must be 0 to 6",
      ...changes,
    }),
  ],
});
const revoked = bad(true, {
  error: "AUTHENTICATION_REQUIRED",
  field: "key",
  reason: "key: number 3 was revoked, reports with it count for nothing",
});
const unclear = bad(true, {
  error: "INVALID_REQUEST",
  report: "log",
  field: "mail_rule",
  reason: 'mail_rule: no word of the mail "Package updates available" says success or failure, so it counted as a log',
});
const failedBadly = bad(true, { report: "fail", message: "exit status 1", times: 12, firstAt: toIso(GAP_FROM - HOUR) });

export const REFUSED: Section = {
  title: "Reports were refused",
  about: "A `service.notice`, at most one an hour: the rate limit refused them, or something is wrong with them.",
  rows: [
    notice("by the rate limit", refusedDetails([limited])),
    notice("by the rate limit, a failure among them", refusedDetails([limited, failed])),
    notice("of a job that is not watched", refusedDetails([bad(false)])),
    notice("a failure", refusedDetails([failedBadly])),
    notice("with a revoked key", refusedDetails([revoked])),
    notice("mails that say neither", refusedDetails([unclear])),
    notice(
      "for several reasons",
      refusedDetails([limited, failedBadly, { ...bad(false), monitorKey: "import", name: "Import" }]),
    ),
  ],
};

const BACKUP_JOB = { applicationId: "default", monitorKey: "nightly-backup", name: "Backup", timezone: "UTC" };
const reported = (name: string, more: Partial<ListedReported>): ListedReported => ({
  ...{ applicationId: "default", monitorKey: name.toLowerCase(), name, timezone: "UTC" },
  ...{ incidents: 0, usualSeconds: null, slower: null },
  ...more,
});
const lost = (delivery: number, kind: "InitialFailure" | "Recovered", at = GAP_FROM) => ({
  delivery,
  recipient: null,
  at,
  kind,
  monitor: BACKUP_JOB,
});

const FAILING = {
  kind: "failing",
  destination: "email",
  since: toIso(NOTICE_AT - HOUR),
  answer: "535 5.7.8 wrong password",
  messagesTotal: 2,
  monitorsTotal: 1,
  monitors: listedLostMessages([
    lost(71, "InitialFailure", NOTICE_AT - HOUR),
    lost(72, "Recovered", NOTICE_AT - HOUR / 2),
  ]),
} as const;

const DATABASE = "/var/lib/rollcall/rollcall.db";
const BACKUP = "/var/lib/rollcall/backups/rollcall-20260301T040000Z.db";

const STORES_AGAIN = {
  kind: "storage",
  fault: "full",
  since: toIso(GAP_FROM),
  until: toIso(GAP_TO),
  database: DATABASE,
} as const;
const UNSTORED = bad(true, {
  at: toIso(GAP_FROM + HOUR),
  report: "fail",
  error: "STORAGE_UNAVAILABLE",
  reason: "the report could not be stored; it was not recorded, send it again",
});

const NO_FAILURES = { failingTotal: 0, monitors: [] };

export const SELF: Section = {
  title: "Something is wrong with rollcall",
  about: "A `service.notice`.",
  rows: [
    notice("its clock was set back", {
      kind: "clock",
      aheadSeconds: (3 * HOUR) / SECOND,
      exact: true,
      since: toIso(GAP_FROM),
      monitorsTotal: 12,
    }),
    notice("its disk is full", {
      kind: "storage",
      fault: "full",
      since: toIso(GAP_FROM),
      until: null,
      database: DATABASE,
      ...NO_FAILURES,
    }),
    notice("its database cannot be written", {
      kind: "storage",
      fault: "other",
      since: toIso(GAP_FROM),
      until: null,
      database: DATABASE,
      ...NO_FAILURES,
    }),
    notice("the file of its database is gone", {
      kind: "storage",
      fault: "gone",
      since: toIso(GAP_FROM),
      until: null,
      database: DATABASE,
      ...NO_FAILURES,
    }),
    notice("it stores again", { ...STORES_AGAIN, ...NO_FAILURES }),
    notice("it stores again, and refused a failure meanwhile", {
      ...STORES_AGAIN,
      failingTotal: 1,
      monitors: [UNSTORED],
    }),
    notice("a backup failed", {
      kind: "backup",
      step: "copy",
      file: BACKUP,
      failedAt: toIso(NOTICE_AT),
      reason: "/var/lib/rollcall/backups has 12 MB free, and a copy needs 96 MB",
    }),
    notice("a backup's command failed", {
      kind: "backup",
      step: "command",
      file: BACKUP,
      failedAt: toIso(NOTICE_AT),
      reason: "exit code 1: Fatal: unable to open repository",
    }),
    notice("a destination has taken nothing for an hour", { ...FAILING, until: null }),
    notice("it takes messages again", {
      ...FAILING,
      messagesTotal: 0,
      monitorsTotal: 0,
      monitors: [],
      until: toIso(NOTICE_AT),
    }),
    notice("a destination did not take a message", {
      kind: "undelivered",
      removed: false,
      destination: "ops",
      messagesTotal: 1,
      monitorsTotal: 1,
      since: toIso(GAP_FROM),
      answer: "HTTP 404 Not Found",
      monitors: listedLostMessages([lost(71, "InitialFailure")]),
    }),
    notice("it did not take many", {
      kind: "undelivered",
      removed: false,
      destination: "ops",
      messagesTotal: 2,
      monitorsTotal: 1,
      since: toIso(GAP_FROM),
      answer: null,
      monitors: listedLostMessages([lost(71, "InitialFailure"), lost(72, "Recovered", GAP_FROM + HOUR / 2)]),
    }),
    notice("a drill did not arrive", {
      kind: "drill",
      monitor: BACKUP_JOB,
      drilledAt: toIso(GAP_FROM),
      addresses: [
        { destination: "ops", recipient: null, delivered: false, answer: "HTTP 404 Not Found" },
        { destination: "email", recipient: "ada@example.org", delivered: true, answer: "250 OK" },
      ],
    }),
    notice("the report of a week", {
      kind: "report",
      from: toIso(NOTICE_AT - 7 * DAY),
      to: toIso(NOTICE_AT),
      ...{ monitorsTotal: 37, reportedTotal: 36, troubledTotal: 3, openTotal: 1, untoldTotal: 1 },
      flaky: [reported("Backup", { incidents: 4 })],
      slow: [reported("Mirror", { usualSeconds: 14_400 })],
      slower: [reported("Mirror", { usualSeconds: 14_400, slower: { times: 3, weeks: 5 } })],
      untold: [reported("Ledger", {})],
    }),
    notice("a run took much longer than usual", {
      ...{ kind: "unusual", monitor: BACKUP_JOB, startedAt: null, endedAt: toIso(GAP_FROM) },
      ...{ tookSeconds: 14_400, usualFromSeconds: 1_200, usualToSeconds: 2_100 },
    }),
    notice("a run goes on for longer than usual", {
      ...{ kind: "unusual", monitor: BACKUP_JOB, startedAt: toIso(GAP_FROM), endedAt: null },
      ...{ tookSeconds: 7_200, usualFromSeconds: 1_200, usualToSeconds: 2_100 },
    }),
    notice("a run that went on for longer has ended", {
      ...{ kind: "unusual", monitor: BACKUP_JOB, startedAt: toIso(GAP_FROM), endedAt: toIso(GAP_FROM + 4 * HOUR) },
      ...{ tookSeconds: 14_400, usualFromSeconds: 1_200, usualToSeconds: 2_100 },
    }),
    notice("a run ended at once", {
      ...{ kind: "unusual", monitor: BACKUP_JOB, startedAt: null, endedAt: toIso(GAP_FROM) },
      ...{ tookSeconds: 2, usualFromSeconds: 1_200, usualToSeconds: 1_200 },
    }),
    notice("a drilled job has no destination", {
      kind: "drill",
      monitor: BACKUP_JOB,
      drilledAt: toIso(GAP_FROM),
      addresses: [],
    }),
  ],
};

const drilled = (everySeconds: number) =>
  drillMessage(
    {
      ...BACKUP_JOB,
      schedule: UTC.schedule,
      presentation: PLAIN_PRESENTATION,
      everySeconds,
      destinations: ["ops", "email"],
    },
    NOTICE_AT,
    HOME,
  );

export const TESTS: Section = {
  title: "Tests and drills",
  about: "A `destination.test`: nothing is wrong.",
  rows: [
    row("`rollcall notify test ops`", testMessage("ops", NOTICE_AT, HOME)),
    row("a drill every hour", drilled(3_600)),
    row("a drill every 30 days", drilled(2_592_000)),
  ],
};

const NAMES = "Backup Import Invoices Mail Reports Search Shop Stock Sync Tax Vacuum".split(" ");

/** The last alert of each of eleven jobs. */
function digest(kind: DigestKind, storyOf: (index: number) => Story) {
  const alerts = NAMES.map(
    (name, index) => alertsOf({ incident: 12 + index, ...storyOf(index), name, key: name.toLowerCase() }).at(-1)!,
  );
  return digestOf(kind, alerts);
}

function onOneHost(host: string) {
  const { data } = digest("opened", () => silent);
  const runsOn = { host, user: "root", where: null, unit: null };
  const alerts = data.alerts.map((alert) => ({ ...alert, data: { ...alert.data, runsOn } }));
  const { data: said, ...message } = digestOf("opened", alerts);
  return { ...message, data: { ...said, ofMachine: alerts.length + 1 } };
}

const silent: Story = { steps: [WORKED], until: "03:02:00" };
const failing: Story = { steps: [["03:00:20", fail("exit status 1")]], until: "03:01:00" };
const hanging: Story = { watch: { maxRuntimeSeconds: 600 }, steps: [["03:00:20", start("r3")]], until: "03:11:00" };

export const DIGESTS: Section = {
  title: "Many at once",
  about: "More than ten openings, or recoveries, that wait for one destination go out as one message.",
  rows: [
    row(
      "all of one cause",
      digest("opened", () => silent),
    ),
    row("all of one machine", onOneHost("nas")),
    row(
      "of several causes",
      digest("opened", (index) => [silent, failing, hanging][index % 3]!),
    ),
    row(
      "still in trouble an hour later",
      digest("continued", (index) => ({ ...[silent, failing][index % 2]!, until: "04:02:00" })),
    ),
    row(
      "recoveries",
      digest("recovered", () => ({ steps: [WORKED, ["03:10:00", heartbeat]], until: "03:11:00" })),
    ),
    row(
      "recoveries, some by hand",
      digest("recovered", (index) => ({
        steps: [WORKED, ["03:10:00", index % 4 === 0 ? { kind: "resolve" } : heartbeat]],
        until: "03:11:00",
      })),
    ),
    row(
      "an hour late",
      digest("opened", () => silent),
      HOUR,
    ),
  ],
};
