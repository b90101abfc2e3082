// The tables for messages: incidents, alerts, their deliveries, the destinations they go to, and drills. They are a
// part of schema.ts, through which all other code reads them.

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
    /** When the fail happened that a manual pause held back (R24) or that came late. */
    failedAt: integer("failed_at"),
    unheardSlots: integer("unheard_slots").notNull().default(0),
    failedRunBeganAt: integer("failed_run_began_at"),
    awaitsRun: integer("awaits_run", { mode: "boolean" }).notNull().default(false),
    /** Who acknowledged it, by the name at that time. */
    acknowledgedBy: text("acknowledged_by"),
    lateSlots: integer("late_slots").notNull().default(0),
    lateTo: integer("late_to"),
    missedTo: integer("missed_to"),
    /** When the fail of `failedAt` was heard. */
    heardAt: integer("heard_at"),
    /** When the first incident of its series opened; `null` when the incident belongs to no series. */
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
 * One alert on its way to one destination; for e-mail, to one recipient (R36). It is unfinished while `finished_at` is
 * null.
 */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    alertId: integer("alert_id")
      .notNull()
      .references(() => alerts.id),
    /** The incident that it is about; `null` for a notice. */
    incidentId: integer("incident_id"),
    destination: text("destination").notNull(),
    recipient: text("recipient"),
    createdAt: integer("created_at").notNull(),
    attempts: integer("attempts").notNull(),
    /**
     * The earliest instant of the next attempt; `null` while it waits for an earlier delivery of its lane, and once
     * finished.
     */
    nextAttemptAt: integer("next_attempt_at"),
    /** Set while an attempt is in progress. A restart sends such a delivery again (at least once). */
    claimedAt: integer("claimed_at"),
    finishedAt: integer("finished_at"),
    /** `not_sent` means that the plan for its lane found it unnecessary; `answer` says why. */
    outcome: text("outcome", { enum: ["sent", "given_up", "not_sent"] }),
    /** How the last attempt ended, for people: an SMTP reply, an HTTP status or an error, but never a secret. */
    answer: text("answer"),
    /**
     * The first of the deliveries whose last attempt was one message together with this one (R39), or the delivery by
     * which the receiver already knows what this one says (R38); `null` when it was sent alone.
     */
    digestId: integer("digest_id"),
    /**
     * Set when it was given up and no notice elsewhere has said so (R36): its number among those of the destination, in
     * the order in which they were given up.
     */
    untold: integer("untold"),
    /**
     * The monitor that it is about; `null` for a notice. Monitor, destination and recipient name the lane that keeps
     * the order.
     */
    monitorId: integer("monitor_id"),
    /**
     * The id that the service gave to the message, by which it is edited and answered (R23); `null` when unknown, or
     * for a digest.
     */
    sentAs: text("sent_as"),
    /**
     * The whole message was written to its destination, which has not answered, so it was perhaps taken. It then holds
     * up nothing in its lane, and is not sent again within the hour (R36).
     */
    perhapsTaken: integer("perhaps_taken", { mode: "boolean" }).notNull().default(false),
    /**
     * When it is due by the plan for its lane (R38), from which its age counts; `null` while a manual pause holds it.
     * Once the delivery is due this does not change.
     */
    dueAt: integer("due_at"),
    /**
     * Why it is due at that time, or that an acknowledgement is why it was not sent: a reason of domain/telling. `null`
     * in rows of earlier versions, and in tests.
     */
    why: text("why", { enum: ["now", "quiet", "after", "well", "behind", "paused", "acknowledged"] }),
    /** The rota through which it came; `null` when its destination was named itself. */
    via: text("via"),
    /**
     * The instant from which the wait of a destination with `after` counts; `null` means from when the delivery was
     * written.
     */
    fromAt: integer("from_at"),
    /**
     * True for the newest message of trouble that its receiver was sent or may know, as long as no end has followed.
     */
    stands: integer("stands", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("deliveries_sent_as").on(table.sentAs).where(sql`sent_as is not null`),
    // This index finds a monitor's lanes: what waits in them, and what their receivers know.
    index("deliveries_lanes")
      .on(table.monitorId, table.destination, table.recipient, table.id)
      .where(sql`finished_at is null or stands`),
    // This index finds what can be claimed, by destination. A claim reads one row for each destination, however many
    // wait.
    index("deliveries_waiting")
      .on(table.destination, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null and claimed_at is null`),
    index("deliveries_by_alert").on(table.alertId),
    // This index finds what one destination has not taken, by state, however many were sent.
    index("deliveries_unsent_at").on(table.destination, table.outcome, table.id).where(sql`outcome is not 'sent'`),
    index("deliveries_untold").on(table.destination, table.untold).where(sql`untold is not null`),
  ],
);

/**
 * Up to which number given-up deliveries of a destination have been told. The row stays until these deliveries have
 * lost their numbers.
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
  /** When the first attempt failed since the last good one; `null` when the last was good, or there was none. */
  failingSince: integer("failing_since"),
  /** The notice elsewhere about its failure (an id of alerts), until another notice has said that it works again. */
  toldAlertId: integer("told_alert_id"),
  /** The answer to the last attempt; `null` when that was good, or did not object to the destination. */
  failingAnswer: text("failing_answer"),
  /** True when something must be repaired before messages can be taken. */
  failingBlocked: integer("failing_blocked", { mode: "boolean" }),
  /**
   * When it last began to take messages: when it was first configured, or after a failure; `null` when that is not
   * known.
   */
  worksSince: integer("works_since"),
});

/** Pieces of the configuration that a person added by an operation, such as a destination, beside the file's (R31). */
export const kept = sqliteTable("kept", {
  /** The noun and the own name of the piece: `destination phone`. */
  name: text("name").primaryKey(),
  /** The piece in the form of the configuration file, secrets included. */
  toml: text("toml").notNull(),
  addedAt: integer("added_at").notNull(),
});

/** The last drill of a monitor's alerts: one row for each monitor that had one. */
export const drills = sqliteTable("drills", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** The alert that was sent; its deliveries say how it ended. */
  alertId: integer("alert_id").notNull(),
  /** How the drill ended; `null` while some of its deliveries are not finished. */
  outcome: text("outcome", { enum: ["delivered", "failed"] }),
});
