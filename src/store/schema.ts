// The database's tables, as drizzle needs them; three files beside this one have further tables. After a change here,
// `test/task migrations` writes the SQL under drizzle/. Instants are milliseconds since 1970 in UTC. Where a table has
// `autoIncrement`, the id of a deleted row is never given to another row.

import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { SEVERITIES } from "../domain/message/presentation.ts";

export * from "./schema-messages.ts";

export const applications = sqliteTable("applications", {
  id: integer("id").primaryKey(),
  slug: text("slug").notNull().unique(),
  createdAt: integer("created_at").notNull(),
  /** The name that a person gave the application, or `null`. A name in the configuration overrides it (R31). */
  name: text("name"),
  /**
   * When the application was suspended, or `null`. Since then its reports are refused and its monitors are paused (R3).
   */
  suspendedAt: integer("suspended_at"),
  /** When the application was deleted, or `null`. Since then no list shows it and none of its keys works. */
  deletedAt: integer("deleted_at"),
});

export const apiKeys = sqliteTable("api_keys", {
  id: integer("id").primaryKey(),
  applicationId: integer("application_id")
    .notNull()
    .references(() => applications.id),
  /** SHA-256 of the whole API key. The key itself is stored nowhere (R2). */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  scope: text("scope", { enum: ["all", "ping", "sync"] }).notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at"),
  /**
   * When the key stops working; `null` when it was not revoked. The instant may lie in the future, so that jobs have
   * time to change to a new key.
   */
  revokedAt: integer("revoked_at"),
  label: text("label"),
  /**
   * The last use of the key: the caller's address and program, and the key of the monitor that the request was about. A
   * column is `null` when its value is not known.
   */
  lastAddress: text("last_address"),
  lastAgent: text("last_agent"),
  lastMonitor: text("last_monitor"),
});

/**
 * A monitor's identity and settings. A column `declared_…` holds what the job, its registry or a person declared; the
 * column without `declared_` holds the value in force, which the configuration may override (R31).
 */
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
    /**
     * When declared or configured values last changed. A report changes `updated_at` only if the report changes such a
     * value (R29).
     */
    updatedAt: integer("updated_at").notNull(),
    /**
     * When the monitor was deleted, or `null`. Its rows stay for a while, but no list shows them and a new monitor may
     * have its key (R25).
     */
    deletedAt: integer("deleted_at"),
    /**
     * The planned maintenance that applied when the settings were last saved, as JSON; `null` when none did. By
     * comparing with it, rollcall recognises newly planned maintenance (R24).
     */
    maintenance: text("maintenance"),
    /** The name of the registry that declared the monitor last (R30); `null` when none ever did. */
    source: text("source"),
    /** When a registry declared the monitor last, even if it changed nothing (R29); `null` when none ever did. */
    declaredAt: integer("declared_at"),
    /**
     * What the registry said about the job besides its settings, as JSON; and the version of the registry's program.
     */
    metadata: text("metadata"),
    sourceVersion: text("source_version"),
    declaredEverySeconds: integer("declared_every_seconds"),
    everySeconds: integer("every_seconds"),
    declaredAlertAfterMisses: integer("declared_alert_after_misses"),
    declaredAlertAfterFailures: integer("declared_alert_after_failures"),
    declaredSeverity: text("declared_severity", { enum: [...SEVERITIES] }),
    /** The declared labels, sorted and separated by spaces. */
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
 * What is known about each monitor: its facts (domain/monitor/monitor.ts explains them) and the id of its last ping.
 * The memory and `state_log` may have newer facts (memory/monitor-states.ts).
 */
export const monitorStates = sqliteTable("monitor_states", {
  monitorId: integer("monitor_id").primaryKey(),
  changedAt: integer("changed_at").notNull(),
  receivedAt: integer("received_at"),
  succeededAt: integer("succeeded_at"),
  expectedAt: integer("expected_at"),
  /**
   * When time alone next changes the monitor (R19); `null` means never. The timer wheel in memory finds the next
   * monitor, so the column needs no index, which each report would have to write.
   */
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
  /**
   * How many of the monitor's rows in `runs` are marked `matters`: a report that does not name these runs may still end
   * them. When it is 0, a ping need not read `runs`.
   */
  runsThatMatter: integer("runs_that_matter").notNull(),
  /** How many milliseconds the last run took that had a start and an end, or `null`. */
  lastRunMs: integer("last_run_ms"),
  incidentCount: integer("incident_count").notNull(),
  openIncidentId: integer("open_incident_id"),
  pingCount: integer("ping_count").notNull(),
  lastPingId: integer("last_ping_id"),
  lastFailurePingId: integer("last_failure_ping_id"),
  /**
   * The last `drift_reports` reports all missed their slots by `drift_minutes`, for example by 60 when the monitor's
   * zone is wrong (R13). Negative minutes mean early.
   */
  driftMinutes: integer("drift_minutes").notNull().default(0),
  driftReports: integer("drift_reports").notNull().default(0),
  /**
   * Slots of an earlier schedule that were still open when the schedule changed (R12), as JSON; usually `null`, for
   * none.
   */
  carried: text("carried"),
  pendingFailAt: integer("hushed_at"),
  unheard: integer("unheard", { mode: "boolean" }).notNull().default(false),
  /**
   * How many milliseconds after its slot the last success came, and how many milliseconds after that slot its run
   * began. Each is negative when early (R26), and `null` when not known.
   */
  succeededAfterMs: integer("succeeded_after_ms"),
  startedAfterMs: integer("started_after_ms"),
  pausedBySuspension: integer("paused_by_suspension", { mode: "boolean" }).notNull().default(false),
  failedAt: integer("failed_at"),
  pendingFailHeardAt: integer("hushed_heard_at"),
});

/** The facts of monitors as they were saved, one row for each commit (memory/state-log.ts). */
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
    /** True while a report that does not name this run may still end it (`matteringRuns` of domain/monitor/run.ts). */
    matters: integer("matters", { mode: "boolean" }).notNull(),
    usual: text("usual"),
    /**
     * What was remarkable about the run's end: `wrong` outcomes failed the job, `warned` outcomes only warned, and an
     * end that `overran` came after its run was counted as unfinished. `null` when nothing was.
     */
    verdict: text("verdict", { enum: VERDICTS }),
  },
  (table) => [index("runs_that_matter").on(table.monitorId).where(sql`matters = 1`)],
);

/**
 * Finds runs by their run_id: the hash of a monitor's id and a run_id, with the id of a row of `runs` that may have
 * this run_id (memory/row-names.ts). The table is WITHOUT ROWID, so the file has only its index.
 */
export const runNames = sqliteTable(
  "run_names",
  { hash: integer("hash").notNull(), runRow: integer("run_row").notNull() },
  (table) => [primaryKey({ columns: [table.hash, table.runRow] })],
);

/**
 * One row about `run_names`. That table has the run_ids of all runs with ids up to `up_to`; those of newer runs are
 * only in memory. `old_since` is when run_ids of old runs were last deleted, and `old_up_to` is what `up_to` was at
 * that time. The next deletion looks only at runs with ids up to `old_up_to`.
 */
export const runNamesKept = sqliteTable("run_names_kept", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
  oldUpTo: integer("old_up_to").notNull(),
  oldSince: integer("old_since").notNull(),
});

/**
 * The pings of all monitors. Rows are only appended, and deleted when they are old. `previous_id` is the id of the same
 * monitor's ping before, so a monitor's pings are read from the newest back.
 */
export const pings = sqliteTable(
  "pings",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    /**
     * The monitor's pings are numbered from 1, so that retention knows the last 20, which it keeps, without counting.
     */
    number: integer("number").notNull(),
    at: integer("at").notNull(),
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }).notNull(),
    previousId: integer("previous_id"),
    runRow: integer("run_row"),
    attempt: integer("attempt"),
    durationSeconds: integer("duration_seconds"),
    message: text("message"),
    /**
     * What a complete reported of the outcomes that its monitor expects, as JSON with the outcomes' keys (R27); `null`
     * when it reported none of them.
     */
    outcomes: text("outcomes"),
    /** When the reported event happened, if the report came late; otherwise `null`. */
    happenedAt: integer("happened_at"),
    /**
     * What was remarkable about the end that this ping reported, such as `wrong` or `overran`, as in
     * `runs.verdict`; `null` when nothing was, or when that is not known.
     */
    verdict: text("verdict", { enum: VERDICTS }),
  },
  // Only late reports are in this index, so other pings need not write to it.
  (table) => [index("pings_late").on(table.happenedAt).where(sql`happened_at is not null`)],
);

/** The last lines that a failing job wrote, if its application keeps output (R46). `id` is the id of their ping. */
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

/** One row: when reports were last surely heard (R26), and values that must outlive the process. */
export const liveness = sqliteTable("liveness", {
  id: integer("id").primaryKey(),
  lastAliveAt: integer("last_alive_at").notNull(),
  /**
   * The zone for schedules when none is configured: that of the computer at the first start (R13). `null` means UTC.
   */
  timezone: text("timezone"),
  /**
   * A hash of the configuration that has been applied to every monitor; `null` when some may still have an older one.
   */
  applied: text("applied"),
  /**
   * Secrets; `null` until they are made. `answer_secret`, made at the first start, signs the tokens by which people
   * reply to messages. `push_keys`, made when a browser first asks for push messages, are the keys for push services,
   * as JSON.
   */
  answerSecret: text("answer_secret"),
  pushKeys: text("push_keys"),
  /**
   * How long rollcall has run on this database and how its clock went meanwhile (domain/lived-time.ts), as JSON; `null`
   * until rollcall first stores it.
   */
  lived: text("lived"),
});

/**
 * The rules by which slots were last computed, for each time zone that a monitor is or was in. They show what an
 * updated zone file has changed.
 */
export const zoneRules = sqliteTable("zone_rules", {
  name: text("name").primaryKey(),
  rules: text("rules").notNull(),
});

/**
 * From which computer and by which key each monitor was last reported. A row is written up to a minute after the
 * report.
 */
export const senders = sqliteTable(
  "senders",
  {
    monitorId: integer("monitor_id").primaryKey(),
    keyId: integer("key_id").notNull(),
    /** Since when reports come with this key, address and program. */
    since: integer("since").notNull(),
    address: text("address").notNull(),
    agent: text("agent"),
  },
  (table) => [index("senders_by_key").on(table.keyId)],
);

/** Times in which rollcall may have lost reports (R26), for example because it was stopped. They never overlap. */
export const gaps = sqliteTable("gaps", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  from: integer("from_at").notNull(),
  to: integer("to_at").notNull(),
  reason: text("reason", { enum: ["stopped", "stalled", "clock", "storage", "restored", "several"] }).notNull(),
  /** When all slots and runs that the gap touches were judged; `null` while one of them may still have to be judged. */
  decidedAt: integer("decided_at"),
  /**
   * domain/monitor/gap.ts (`FoundGap`) explains the columns from `outages` to `excuses`. Rows from before these columns
   * have `outages` 0, which stands for one outage.
   */
  outages: integer("outages").notNull().default(0),
  silentMs: integer("silent_ms").notNull().default(0),
  silentTo: integer("silent_to").notNull().default(0),
  joinsUntil: integer("joins_until").notNull().default(0),
  excuses: text("excuses", { enum: ["closed", "nothing"] }),
  /** How many notices have already told what this gap left unknown. */
  notices: integer("notices").notNull().default(0),
});

/**
 * Slots and runs that were judged without a report, because a gap may have lost it. A notice tells of them, not an
 * alert (R26).
 */
export const unknowns = sqliteTable(
  "unknowns",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    gapId: integer("gap_id").notNull(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    /** The slot that no report filled; `null` when the row is about a run. */
    slot: integer("slot"),
    /** How many consecutive slots this row covers, `slot` being the first. */
    slots: integer("slots").notNull(),
    runId: text("run_id"),
    runStartedAt: integer("run_started_at"),
    /**
     * How many notices about the gap had been sent when this row was written. While `gaps.notices` is still this
     * number, no notice has told of this row.
     */
    notice: integer("notice").notNull().default(0),
  },
  (table) => [
    index("unknowns_by_gap").on(table.gapId, table.notice, table.monitorId),
    index("unknowns_of").on(table.monitorId),
  ],
);

/** The receipt of each ping with an idempotency key: the text that a repetition of the ping gets again (R11). */
export const receipts = sqliteTable("idempotency_answers", {
  id: integer("id").primaryKey(),
  monitorId: integer("monitor_id").notNull(),
  key: text("key").notNull(),
  at: integer("at").notNull(),
  answer: text("answer").notNull(),
});

/** Finds receipts by idempotency key, as `run_names` finds runs. */
export const receiptNames = sqliteTable(
  "answer_names",
  { hash: integer("hash").notNull(), answerRow: integer("answer_row").notNull() },
  (table) => [primaryKey({ columns: [table.hash, table.answerRow] })],
);

/**
 * Its single row says up to which receipt `answer_names` is written. The columns mean the same as those of
 * `run_names_kept`.
 */
export const receiptNamesKept = sqliteTable("answer_names_kept", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
  oldUpTo: integer("old_up_to").notNull(),
  oldSince: integer("old_since").notNull(),
});
