// The tables for messages: incidents, alerts, their deliveries, the destinations they go to, and drills. Part of
// schema.ts, through which everything reads them.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const incidents = sqliteTable(
  "incidents",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    monitorId: integer("monitor_id").notNull(),
    number: integer("number").notNull(),
    opening: text("opening", { enum: ["InitialFailure", "NeverExecuted"] }).notNull(),
    openedAt: integer("opened_at").notNull(),
    causes: text("causes", { mode: "json" }).notNull(),
    troubles: integer("troubles").notNull(),
    message: text("message"),
    runId: text("run_id"),
    expectedAt: integer("expected_at"),
    missedSlots: integer("missed_slots").notNull(),
    acknowledgedAt: integer("acknowledged_at"),
    remindAt: integer("remind_at"),
    remindersSent: integer("reminders_sent").notNull(),
    closedAt: integer("closed_at"),
    closedBy: text("closed_by", { enum: ["success", "resolved", "withdrawn", "deleted"] }),
    /** When the fail happened that a pause by hand held back (R24) or that we heard late. */
    failedAt: integer("failed_at"),
    unheardSlots: integer("unheard_slots").notNull().default(0),
    failedRunBeganAt: integer("failed_run_began_at"),
    awaitsRun: integer("awaits_run", { mode: "boolean" }).notNull().default(false),
    /** The name, as it was then. */
    acknowledgedBy: text("acknowledged_by"),
    lateSlots: integer("late_slots").notNull().default(0),
    lateTo: integer("late_to"),
    missedTo: integer("missed_to"),
    /** When we heard of that fail. */
    heardAt: integer("heard_at"),
    /** When the first incident of its series opened that no person has dealt with; null: it is by itself. */
    seriesSince: integer("series_since"),
  },
  (table) => [
    uniqueIndex("incidents_identity").on(table.monitorId, table.number),
    index("incidents_open").on(table.id).where(sql`closed_at is null`),
  ],
);

/** Alerts and notices as sent: the `data` of R37 as JSON. A notice belongs to no incident. */
export const alerts = sqliteTable(
  "alerts",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    incidentId: integer("incident_id").references(() => incidents.id),
    type: text("type").notNull(),
    at: integer("at").notNull(),
    data: text("data", { mode: "json" }).notNull(),
  },
  (table) => [index("alerts_by_incident").on(table.incidentId)],
);

/**
 * One alert on its way to one destination, for e-mail to one recipient (R36). Unfinished while `finished_at` is null.
 */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    alertId: integer("alert_id")
      .notNull()
      .references(() => alerts.id),
    /** Null: a notice. */
    incidentId: integer("incident_id"),
    destination: text("destination").notNull(),
    recipient: text("recipient"),
    createdAt: integer("created_at").notNull(),
    attempts: integer("attempts").notNull(),
    /** Not before this instant; null while it waits for an earlier delivery of its lane, and once it is finished. */
    nextAttemptAt: integer("next_attempt_at"),
    /** Set while an attempt is under way; a restart sends such a delivery again (at least once). */
    claimedAt: integer("claimed_at"),
    finishedAt: integer("finished_at"),
    /** `not_sent`: the plan for its lane says that it need not be sent; `answer` says why. */
    outcome: text("outcome", { enum: ["sent", "given_up", "not_sent"] }),
    /** How the last attempt ended, for people: an SMTP reply, an HTTP status, an error; never a secret. */
    answer: text("answer"),
    /**
     * The first of the deliveries that shared its last attempt as one message (R39), or the one by which its
     * destination knows what this one was to say (R38); null: it was sent alone.
     */
    digestId: integer("digest_id"),
    /**
     * When it was given up and no notice elsewhere has said so (R36): its number among those of the destination, in the
     * order in which they were given up.
     */
    untold: integer("untold"),
    /** Null: a notice. Monitor, destination and recipient name the lane that keeps the order. */
    monitorId: integer("monitor_id"),
    /** What the service calls the message, by which it is edited and answered (R23); null: unknown, or a digest. */
    sentAs: text("sent_as"),
    /**
     * The whole message was written to its destination, which has not answered: perhaps it was taken. Then it holds up
     * nothing in its lane, and is not sent again within the hour (R36).
     */
    perhapsTaken: integer("perhaps_taken", { mode: "boolean" }).notNull().default(false),
    /**
     * When it is due by the plan for its lane (R38), from which its age counts; null while a pause by hand holds it.
     * Once it is due it stays so.
     */
    dueAt: integer("due_at"),
    /**
     * Why it is due then, or that a person's acknowledgement is why it was not sent: a reason of domain/telling; null
     * in rows of earlier versions, and in tests.
     */
    why: text("why", { enum: ["now", "quiet", "after", "well", "behind", "paused", "acknowledged"] }),
    /** The rota by which it came; null: its destination was named itself. */
    via: text("via"),
    /** The wait of who hears later counts from this instant; null: from when it was written. */
    fromAt: integer("from_at"),
    /** It is the newest message of trouble that its hearer was sent, and no end has followed. */
    stands: integer("stands", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("deliveries_sent_as").on(table.sentAs).where(sql`sent_as is not null`),
    // A monitor's lanes: what waits in them, and what their hearers know.
    index("deliveries_lanes")
      .on(table.monitorId, table.destination, table.recipient, table.id)
      .where(sql`finished_at is null or stands`),
    // What can be claimed, by destination: a claim looks at one row per destination, however many wait.
    index("deliveries_waiting")
      .on(table.destination, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null and claimed_at is null`),
    index("deliveries_by_alert").on(table.alertId),
    // What one destination has not taken, by state, however many were sent.
    index("deliveries_unsent_at").on(table.destination, table.outcome, table.id).where(sql`outcome is not 'sent'`),
    index("deliveries_untold").on(table.destination, table.untold).where(sql`untold is not null`),
  ],
);

/**
 * Up to which number what was given up at a destination has been told; stays until these deliveries have lost theirs.
 */
export const undeliveredNotified = sqliteTable("undelivered_told", {
  destination: text("destination").primaryKey(),
  upTo: integer("up_to").notNull(),
});

/** What rollcall remembers about each configured destination over a restart (R36). */
export const destinations = sqliteTable("destinations", {
  name: text("name").primaryKey(),
  /** Reveals a changed configuration: a few digits of a hash, never the configuration itself. */
  fingerprint: text("fingerprint"),
  /** When the first attempt failed since the last good one; null: the last was good, or there was none. */
  failingSince: integer("failing_since"),
  /** The notice elsewhere that it fails (alerts), until another has said that it works again. */
  toldAlertId: integer("told_alert_id"),
  /** What the last attempt was answered; null: it was good, or said nothing against the destination. */
  failingAnswer: text("failing_answer"),
  /** That answer wants something repaired. */
  failingBlocked: integer("failing_blocked", { mode: "boolean" }),
  /** When it last began to take messages: as it was first configured, or after it had failed; null: not known. */
  worksSince: integer("works_since"),
});

/** Pieces of the configuration that a person added by an operation, such as a destination, beside the file's (R31). */
export const kept = sqliteTable("kept", {
  /** `destination phone`: its noun, and what commands call it. */
  name: text("name").primaryKey(),
  /** As the file would have it; secrets too. */
  toml: text("toml").notNull(),
  addedAt: integer("added_at").notNull(),
});

/** The last drill of a monitor's alerts: one row for each monitor that had one. */
export const drills = sqliteTable("drills", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** The alert that was sent; its deliveries say how it ended. */
  alertId: integer("alert_id").notNull(),
  /** Null: some of its deliveries are not finished. */
  outcome: text("outcome", { enum: ["delivered", "failed"] }),
});
