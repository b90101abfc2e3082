// The tables as drizzle sees them; `test/task migrations` makes SQL under drizzle/ of a change here. Instants are
// milliseconds UTC. A ping touches a monitor_states row, and pings chained by rowid. autoIncrement: no id twice.

import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { SEVERITIES } from "../domain/message/presentation.ts";

export * from "./schema-messages.ts";

export const applications = sqliteTable("applications", {
  id: integer("id").primaryKey(),
  slug: text("slug").notNull().unique(),
  createdAt: integer("created_at").notNull(),
  /** What people call it, as a person said; null: unnamed. The configuration's name wins (R31). */
  name: text("name"),
  /** R3: since when its reports are refused and its monitors paused; null: they are not. */
  suspendedAt: integer("suspended_at"),
  /** It is in no list, and none of its keys works; null: it is there. */
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
  /** From then on it is refused; in the future while the key that replaces it is being spread. */
  revokedAt: integer("revoked_at"),
  /** What a person calls it; null: nothing. */
  label: text("label"),
  /** From where, with what program and for which monitor it was last used; null: not known. */
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
    /** Moves with declared or configured values, not with pings (R29). */
    updatedAt: integer("updated_at").notNull(),
    /** A deleted monitor's rows stay for a while, out of every list; its key is free again (R25). */
    deletedAt: integer("deleted_at"),
    /** As JSON, the windows of maintenance in force when it was last saved: one that is new has not begun yet (R24). */
    maintenance: text("maintenance"),
    /** The registry that declared it last (R30); null: itself, a person or the configuration named it. */
    source: text("source"),
    /** When a registry declared it last, changed or not (R29). */
    declaredAt: integer("declared_at"),
    /** What else the registry said about it, as JSON, and its integration about its own version. */
    metadata: text("metadata"),
    sourceVersion: text("source_version"),
    declaredEverySeconds: integer("declared_every_seconds"),
    everySeconds: integer("every_seconds"),
    declaredAlertAfterMisses: integer("declared_alert_after_misses"),
    declaredAlertAfterFailures: integer("declared_alert_after_failures"),
    declaredSeverity: text("declared_severity", { enum: [...SEVERITIES] }),
    /** In their order, a space between two. */
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
 * One small row a monitor: the facts of domain/monitor/monitor.ts, and the head of the monitor's chain of pings. It may
 * be behind the log, see monitor-states.ts.
 */
export const monitorStates = sqliteTable("monitor_states", {
  monitorId: integer("monitor_id").primaryKey(),
  changedAt: integer("changed_at").notNull(),
  receivedAt: integer("received_at"),
  succeededAt: integer("succeeded_at"),
  expectedAt: integer("expected_at"),
  /** When time alone next changes the monitor (R19); mirrored in the timer wheel, deliberately unindexed. */
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
  /** How many rows of runs are marked `matters`; 0 saves a ping the look. */
  runsThatMatter: integer("runs_that_matter").notNull(),
  /** Milliseconds from start to end of the last run that had both. */
  lastRunMs: integer("last_run_ms"),
  incidentCount: integer("incident_count").notNull(),
  openIncidentId: integer("open_incident_id"),
  pingCount: integer("ping_count").notNull(),
  lastPingId: integer("last_ping_id"),
  lastFailurePingId: integer("last_failure_ping_id"),
  /** By how many minutes the last reports in a row have missed their slots, and how many they are (R13). */
  driftMinutes: integer("drift_minutes").notNull().default(0),
  driftReports: integer("drift_reports").notNull().default(0),
  /** As JSON, the slots that are open from before the schedule changed (R12); null, as nearly always: none. */
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

/** Facts as they were saved, a row a commit (state-log.ts); appended, and shortened from the front. */
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
    /** What was decided of its end (domain/monitor/run.ts); null: nothing to say of it, or it is not known. */
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

/** One row: up to which run `run_names` has all names; and, of the last pass, which are old by the next. */
export const runNamesKept = sqliteTable("run_names_kept", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
  oldUpTo: integer("old_up_to").notNull(),
  oldSince: integer("old_since").notNull(),
});

/** Append only. A monitor's pings are read newest first along `previous_id`. */
export const pings = sqliteTable(
  "pings",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    /** Counts the monitor's pings from 1, so that retention can keep the last 20 without looking them up. */
    number: integer("number").notNull(),
    at: integer("at").notNull(),
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }).notNull(),
    previousId: integer("previous_id"),
    runRow: integer("run_row"),
    attempt: integer("attempt"),
    durationSeconds: integer("duration_seconds"),
    message: text("message"),
    /** As JSON, what a complete reported of the outcomes that are expected of its monitor, by their keys (R27). */
    outcomes: text("outcomes"),
    /** When it happened, if it came late; null: as it arrived. */
    happenedAt: integer("happened_at"),
    /** What was decided of it when it came; null: nothing to say of it, or it is not known. */
    verdict: text("verdict", { enum: VERDICTS }),
  },
  // Of late reports alone: the others pay nothing for it.
  (table) => [index("pings_late").on(table.happenedAt).where(sql`happened_at is not null`)],
);

/** R46: what a failing job wrote last, for a ping of an application that keeps it. `id`: the ping's. */
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

/** One row: the last instant at which we are known to have heard what was sent (R26), and how schedules are read. */
export const liveness = sqliteTable("liveness", {
  id: integer("id").primaryKey(),
  lastAliveAt: integer("last_alive_at").notNull(),
  /** The zone of schedules while nothing names one, as the first start found it on its computer (R13); null: UTC. */
  timezone: text("timezone"),
  /** A hash of the configuration that is in force for every monitor; null: it is not known to be in force. */
  applied: text("applied"),
  /** What answers are signed with, and, as JSON, by what push services know us: secrets, made once; null: not yet. */
  answerSecret: text("answer_secret"),
  pushKeys: text("push_keys"),
  /** Lived time (domain/lived-time.ts), as JSON; null: an earlier version ran. */
  lived: text("lived"),
});

/** The rules of each time zone that a monitor is or was in, as they were last in force. A change is known by them. */
export const zoneRules = sqliteTable("zone_rules", {
  name: text("name").primaryKey(),
  rules: text("rules").notNull(),
});

/** Which computer reports a monitor, up to a minute late and never in the batch of a report. */
export const senders = sqliteTable(
  "senders",
  {
    monitorId: integer("monitor_id").primaryKey(),
    keyId: integer("key_id").notNull(),
    /** When it was first seen there: written only when something has changed. */
    since: integer("since").notNull(),
    address: text("address").notNull(),
    agent: text("agent"),
  },
  (table) => [index("senders_by_key").on(table.keyId)],
);

/** Spans in which a report could have been lost through us (R26); never overlapping. */
export const gaps = sqliteTable("gaps", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  from: integer("from_at").notNull(),
  to: integer("to_at").notNull(),
  reason: text("reason", { enum: ["stopped", "stalled", "clock", "storage", "restored", "several"] }).notNull(),
  /** Since when no slot or run it touches is undecided; null: one may be. */
  decidedAt: integer("decided_at"),
  /** The rest as domain/monitor/gap.ts has it; 0 in rows that are older than these columns, which were never joined. */
  outages: integer("outages").notNull().default(0),
  silentMs: integer("silent_ms").notNull().default(0),
  silentTo: integer("silent_to").notNull().default(0),
  joinsUntil: integer("joins_until").notNull().default(0),
  excuses: text("excuses", { enum: ["closed", "nothing"] }),
  /** How many notices have told of it before it was decided. */
  notices: integer("notices").notNull().default(0),
});

/** What would have been trouble, had we been able to hear: told in a notice, not as an alarm (R26). */
export const unknowns = sqliteTable(
  "unknowns",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    gapId: integer("gap_id").notNull(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    /** The slot nothing filled; null when it is about a run. */
    slot: integer("slot"),
    /** How many slots it stands for, that one and those after it. */
    slots: integer("slots").notNull(),
    runId: text("run_id"),
    runStartedAt: integer("run_started_at"),
    /** How many notices had told of the gap before: the next one tells this. */
    notice: integer("notice").notNull().default(0),
  },
  (table) => [
    index("unknowns_by_gap").on(table.gapId, table.notice, table.monitorId),
    index("unknowns_of").on(table.monitorId),
  ],
);

/** What a ping with an idempotency key was answered: the text that every repeat gets again (R11). */
export const idempotencyAnswers = sqliteTable("idempotency_answers", {
  id: integer("id").primaryKey(),
  monitorId: integer("monitor_id").notNull(),
  key: text("key").notNull(),
  at: integer("at").notNull(),
  answer: text("answer").notNull(),
});

/** Which answer may have a key, by its hash, as `run_names` of runs. */
export const answerNames = sqliteTable(
  "answer_names",
  { hash: integer("hash").notNull(), answerRow: integer("answer_row").notNull() },
  (table) => [primaryKey({ columns: [table.hash, table.answerRow] })],
);

/** As `run_names_kept`. */
export const answerNamesKept = sqliteTable("answer_names_kept", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
  oldUpTo: integer("old_up_to").notNull(),
  oldSince: integer("old_since").notNull(),
});
