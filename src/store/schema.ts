// The tables for drizzle. After a change here `test/task migrations` makes SQL under drizzle/. Instants are
// milliseconds UTC. A ping changes a monitor_states row and adds to pings, which are chained by rowid. With
// autoIncrement an id is never used twice.

import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { SEVERITIES } from "../domain/message/presentation.ts";

export * from "./schema-messages.ts";

export const applications = sqliteTable("applications", {
  id: integer("id").primaryKey(),
  slug: text("slug").notNull().unique(),
  createdAt: integer("created_at").notNull(),
  /** The name that a person gave it; `null` when it has none. The configuration's name overrides it (R31). */
  name: text("name"),
  /** Since when its reports are refused and its monitors paused (R3); `null` when they are not. */
  suspendedAt: integer("suspended_at"),
  /** Since when it is in no list and none of its keys works; `null` when it exists. */
  deletedAt: integer("deleted_at"),
});

export const apiKeys = sqliteTable("api_keys", {
  id: integer("id").primaryKey(),
  applicationId: integer("application_id")
    .notNull()
    .references(() => applications.id),
  /** SHA-256 of the whole key; the key itself is stored nowhere (R2). */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  scope: text("scope", { enum: ["all", "ping", "sync"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at"),
  /** From this instant on it is refused. It lies in the future while the key that replaces it is being distributed. */
  revokedAt: integer("revoked_at"),
  /** The name that a person gave the key; `null` when it has none. */
  label: text("label"),
  /** From where, by which program and for which monitor it was last used; `null` when it is not known. */
  lastAddress: text("last_address"),
  lastAgent: text("last_agent"),
  lastMonitor: text("last_monitor"),
});

/** Identity and settings. The `declared_` columns hold what was declared; the others what is in force (R31). */
export const monitors = sqliteTable(
  "monitors",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id")
      .notNull()
      .references(() => applications.id),
    key: text("key").notNull(),
    declaredName: text("declared_name"),
    declaredSchedule: text("declared_schedule"),
    declaredTimezone: text("declared_timezone"),
    declaredGraceSeconds: integer("declared_grace_seconds"),
    declaredMaxRuntimeSeconds: integer("declared_max_runtime_seconds"),
    schedule: text("schedule"),
    timezone: text("timezone").notNull(),
    graceSeconds: integer("grace_seconds").notNull(),
    maxRuntimeSeconds: integer("max_runtime_seconds"),
    createdAt: integer("created_at").notNull(),
    /** When declared or configured values last changed; pings do not count (R29). */
    updatedAt: integer("updated_at").notNull(),
    /** A deleted monitor's rows stay for a while, in no list; its key is free again (R25). */
    deletedAt: integer("deleted_at"),
    /** The maintenance windows in force when it was last saved, as JSON, so that a new one is recognised (R24). */
    maintenance: text("maintenance"),
    /** The registry that declared it last (R30); `null` when the job, a person or the configuration named it. */
    source: text("source"),
    /** When a registry declared it last, changed or not (R29). */
    declaredAt: integer("declared_at"),
    /** What else the registry said about it, as JSON, and the version of the integration. */
    metadata: text("metadata"),
    sourceVersion: text("source_version"),
    declaredEverySeconds: integer("declared_every_seconds"),
    everySeconds: integer("every_seconds"),
    declaredAlertAfterMisses: integer("declared_alert_after_misses"),
    declaredAlertAfterFailures: integer("declared_alert_after_failures"),
    declaredSeverity: text("declared_severity", { enum: [...SEVERITIES] }),
    /** The declared labels, sorted, with a space between two. */
    declaredLabels: text("declared_labels"),
    declaredNote: text("declared_note"),
    declaredMailRule: text("declared_mail_rule"),
  },
  (table) => [
    uniqueIndex("monitors_identity").on(table.applicationId, table.key).where(sql`deleted_at is null`),
    index("monitors_deleted").on(table.id).where(sql`deleted_at is not null`),
    index("monitors_by_source").on(table.applicationId, table.source).where(sql`source is not null`),
  ],
);

/**
 * One small row for each monitor: the facts of domain/monitor/monitor.ts, and the head of the monitor's chain of pings.
 * It may be behind the log, see monitor-states.ts.
 */
export const monitorStates = sqliteTable("monitor_states", {
  monitorId: integer("monitor_id").primaryKey(),
  changedAt: integer("changed_at").notNull(),
  receivedAt: integer("received_at"),
  succeededAt: integer("succeeded_at"),
  expectedAt: integer("expected_at"),
  /** When time alone next changes the monitor (R19). The timer wheel has it too, so it deliberately has no index. */
  wakeAt: integer("wake_at"),
  excusedBy: integer("excused_by"),
  misses: integer("misses").notNull(),
  failures: integer("failures").notNull(),
  warned: integer("warned", { mode: "boolean" }).notNull(),
  pausedManually: integer("paused_manually", { mode: "boolean" }).notNull(),
  pausedUntil: integer("paused_until"),
  pausedByDiscovery: integer("paused_by_discovery", { mode: "boolean" }).notNull(),
  pausedByPlan: integer("paused_by_plan", { mode: "boolean" }).notNull(),
  pendingFail: integer("hushed", { mode: "boolean" }).notNull(),
  pendingFailMessage: text("hushed_message"),
  pendingFailRunId: text("hushed_run_id"),
  runCount: integer("run_count").notNull(),
  /** How many rows of runs are marked `matters`. With 0 a ping need not read runs. */
  runsThatMatter: integer("runs_that_matter").notNull(),
  /** Milliseconds from start to end of the last run that had both. */
  lastRunMs: integer("last_run_ms"),
  incidentCount: integer("incident_count").notNull(),
  openIncidentId: integer("open_incident_id"),
  pingCount: integer("ping_count").notNull(),
  lastPingId: integer("last_ping_id"),
  lastFailurePingId: integer("last_failure_ping_id"),
  /** By how many minutes the last reports in a row have missed their slots, and how many reports these were (R13). */
  driftMinutes: integer("drift_minutes").notNull().default(0),
  driftReports: integer("drift_reports").notNull().default(0),
  /**
   * The slots that are open from before the schedule changed (R12), as JSON; nearly always `null`, which means none.
   */
  carried: text("carried"),
  pendingFailAt: integer("hushed_at"),
  unheard: integer("unheard", { mode: "boolean" }).notNull().default(false),
  /** How long after their slots the last success came and its run began (R26). */
  succeededAfterMs: integer("succeeded_after_ms"),
  startedAfterMs: integer("started_after_ms"),
  pausedBySuspension: integer("paused_by_suspension", { mode: "boolean" }).notNull().default(false),
  failedAt: integer("failed_at"),
  pendingFailHeardAt: integer("hushed_heard_at"),
});

/** Facts as they were saved, one row for each commit (state-log.ts). Rows are appended, and deleted from the front. */
export const stateLog = sqliteTable("state_log", {
  id: integer("id").primaryKey(),
  body: blob("body", { mode: "buffer" }).notNull(),
});

const VERDICTS = ["wrong", "warned", "overran"] as const;

export const runs = sqliteTable(
  "runs",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    number: integer("number").notNull(),
    runId: text("run_id"),
    attempt: integer("attempt"),
    state: text("state", { enum: ["open", "ended", "unfinished", "incomplete", "unknown"] }).notNull(),
    startedAt: integer("started_at"),
    deadline: integer("deadline"),
    endedAt: integer("ended_at"),
    endedBy: text("ended_by", { enum: ["heartbeat", "complete", "fail"] }),
    durationSeconds: integer("duration_seconds"),
    legacy: integer("legacy", { mode: "boolean" }).notNull(),
    /** 1 while a report that does not name this run may still find it (domain/monitor/run.ts, matteringRuns). */
    matters: integer("matters", { mode: "boolean" }).notNull(),
    usual: text("usual"),
    /** The verdict on its end (domain/monitor/run.ts); `null` when the end is unremarkable or not known. */
    verdict: text("verdict", { enum: VERDICTS }),
  },
  (table) => [index("runs_that_matter").on(table.monitorId).where(sql`matters = 1`)],
);

/** Which run may have a name, by its hash; see row-names.ts. In the file it is the index alone (WITHOUT ROWID). */
export const runNames = sqliteTable(
  "run_names",
  { hash: integer("hash").notNull(), runRow: integer("run_row").notNull() },
  (table) => [primaryKey({ columns: [table.hash, table.runRow] })],
);

/**
 * One row that says up to which run `run_names` is complete, and, from the last pass, which names are old at the next
 * one.
 */
export const runNamesKept = sqliteTable("run_names_kept", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
  oldUpTo: integer("old_up_to").notNull(),
  oldSince: integer("old_since").notNull(),
});

/**
 * The pings of all monitors. Rows are only appended. A monitor's pings are read with the newest first along
 * `previous_id`.
 */
export const pings = sqliteTable(
  "pings",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    /** Counts the monitor's pings from 1, so that retention can keep the last 20 without searching for them. */
    number: integer("number").notNull(),
    at: integer("at").notNull(),
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }).notNull(),
    previousId: integer("previous_id"),
    runRow: integer("run_row"),
    attempt: integer("attempt"),
    durationSeconds: integer("duration_seconds"),
    message: text("message"),
    /** What a complete reported of the expected outcomes of its monitor, by their keys, as JSON (R27). */
    outcomes: text("outcomes"),
    /** When the event happened, if the report came late; `null` when it happened as the report arrived. */
    happenedAt: integer("happened_at"),
    /** The verdict on the report when it came; `null` when it is unremarkable or not known. */
    verdict: text("verdict", { enum: VERDICTS }),
  },
  // The index has only late reports, so that the others pay nothing for it.
  (table) => [index("pings_late").on(table.happenedAt).where(sql`happened_at is not null`)],
);

/** What a failing job wrote last, for a ping of an application that keeps output (R46). `id` is the ping's. */
export const outputs = sqliteTable(
  "outputs",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    text: text("text").notNull(),
  },
  (table) => [index("outputs_by_monitor").on(table.monitorId)],
);

/** One row: the last instant at which reports were surely heard (R26), and how schedules are read. */
export const liveness = sqliteTable("liveness", {
  id: integer("id").primaryKey(),
  lastAliveAt: integer("last_alive_at").notNull(),
  /** The zone of schedules while none is named, as the first start found it on its computer (R13); `null` means UTC. */
  timezone: text("timezone"),
  /** A hash of the configuration that is in force for every monitor; `null` when none is known to be. */
  applied: text("applied"),
  /**
   * Secrets that are made once: the key that signs answers, and, as JSON, the keys for push services; `null` before
   * that.
   */
  answerSecret: text("answer_secret"),
  pushKeys: text("push_keys"),
  /** Lived time (domain/lived-time.ts), as JSON; `null` when an earlier version ran. */
  lived: text("lived"),
});

/**
 * The rules of each time zone that a monitor is or was in, as they were last in force. A change is recognised by them.
 */
export const zoneRules = sqliteTable("zone_rules", {
  name: text("name").primaryKey(),
  rules: text("rules").notNull(),
});

/** Which computer reports a monitor. It is up to a minute late, and never written in the batch of a report. */
export const senders = sqliteTable(
  "senders",
  {
    monitorId: integer("monitor_id").primaryKey(),
    keyId: integer("key_id").notNull(),
    /** When it was first seen there. It is written only when something has changed. */
    since: integer("since").notNull(),
    address: text("address").notNull(),
    agent: text("agent"),
  },
  (table) => [index("senders_by_key").on(table.keyId)],
);

/** Times in which a report could have been lost by rollcall (R26). They never overlap. */
export const gaps = sqliteTable("gaps", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  from: integer("from_at").notNull(),
  to: integer("to_at").notNull(),
  reason: text("reason", { enum: ["stopped", "stalled", "clock", "storage", "restored", "several"] }).notNull(),
  /** Since when no slot or run that it touches is undecided; `null` while one may be. */
  decidedAt: integer("decided_at"),
  /**
   * The other fields of domain/monitor/gap.ts. They are 0 in rows that are older than these columns, which were never
   * joined.
   */
  outages: integer("outages").notNull().default(0),
  silentMs: integer("silent_ms").notNull().default(0),
  silentTo: integer("silent_to").notNull().default(0),
  joinsUntil: integer("joins_until").notNull().default(0),
  excuses: text("excuses", { enum: ["closed", "nothing"] }),
  /** How many notices have told of it before it was decided. */
  notices: integer("notices").notNull().default(0),
});

/**
 * Slots and runs that would have been trouble if their reports had been heard. A notice tells of them, not an alert
 * (R26).
 */
export const unknowns = sqliteTable(
  "unknowns",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    gapId: integer("gap_id").notNull(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    /** The slot that no report filled; `null` when it is about a run. */
    slot: integer("slot"),
    /** How many slots in a row this row covers, beginning with `slot`. */
    slots: integer("slots").notNull(),
    runId: text("run_id"),
    runStartedAt: integer("run_started_at"),
    /** How many notices had told of the gap when this was judged. The next notice tells this. */
    notice: integer("notice").notNull().default(0),
  },
  (table) => [
    index("unknowns_by_gap").on(table.gapId, table.notice, table.monitorId),
    index("unknowns_of").on(table.monitorId),
  ],
);

/** The answer to a ping with an idempotency key: the text that every repetition gets again (R11). */
export const idempotencyAnswers = sqliteTable("idempotency_answers", {
  id: integer("id").primaryKey(),
  monitorId: integer("monitor_id").notNull(),
  key: text("key").notNull(),
  at: integer("at").notNull(),
  answer: text("answer").notNull(),
});

/** Which answer may have a key, by its hash, as `run_names` does for runs. */
export const answerNames = sqliteTable(
  "answer_names",
  { hash: integer("hash").notNull(), answerRow: integer("answer_row").notNull() },
  (table) => [primaryKey({ columns: [table.hash, table.answerRow] })],
);

/** One row that says up to which answer `answer_names` is complete, as `run_names_kept` does for runs. */
export const answerNamesKept = sqliteTable("answer_names_kept", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
  oldUpTo: integer("old_up_to").notNull(),
  oldSince: integer("old_since").notNull(),
});
