// The tables of messages: incidents, alerts, deliveries of alerts, the destinations they go to, and drills. This file
// is a part of schema.ts, and other code imports its tables from there.

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
    /**
     * When the fail happened that opened this incident, if the incident opened later than that: a manual pause held the
     * fail back (R24), or its report came late. Otherwise `null`.
     */
    failedAt: integer("failed_at"),
    unheardSlots: integer("unheard_slots").notNull().default(0),
    failedRunBeganAt: integer("failed_run_began_at"),
    awaitsRun: integer("awaits_run", { mode: "boolean" }).notNull().default(false),
    /**
     * The name of the person who acknowledged the incident, as it was then; `null` when it was not acknowledged, or by
     * a command.
     */
    acknowledgedBy: text("acknowledged_by"),
    lateSlots: integer("late_slots").notNull().default(0),
    lateTo: integer("late_to"),
    missedTo: integer("missed_to"),
    /**
     * When the report of the fail of `failed_at` came; `null` without such a fail, or when an earlier version stored
     * it.
     */
    heardAt: integer("heard_at"),
    /**
     * When the first incident of this incident's series opened; `null` without a series. A series is a job's repeated
     * failures with short recoveries between them (domain/monitor/series.ts).
     */
    seriesSince: integer("series_since"),
  },
  (table) => [
    uniqueIndex("incidents_identity").on(table.monitorId, table.number),
    index("incidents_open").on(table.id).where(sql`closed_at is null`),
  ],
);

/**
 * Alerts, notices and tests, each as it was written. `data` is all that the message says, as JSON (R37). Only an alert
 * has an `incident_id`.
 */
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
 * One alert on its way to one destination and, if the destination sends e-mail, to one recipient (R36). The delivery is
 * unfinished while `finished_at` is null.
 */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    alertId: integer("alert_id")
      .notNull()
      .references(() => alerts.id),
    /** The incident that the alert is about; `null` for a notice or a test, for example. */
    incidentId: integer("incident_id"),
    destination: text("destination").notNull(),
    recipient: text("recipient"),
    createdAt: integer("created_at").notNull(),
    attempts: integer("attempts").notNull(),
    /**
     * The delivery is not attempted before this instant. `null` while an earlier delivery of the lane must go first, or
     * a manual pause or a suspension holds this one, and once the delivery is finished.
     */
    nextAttemptAt: integer("next_attempt_at"),
    /**
     * When the attempt that is in progress began; `null` when none is. After a crash such a delivery is sent again, so
     * a message may arrive twice but is not lost.
     */
    claimedAt: integer("claimed_at"),
    finishedAt: integer("finished_at"),
    /**
     * How the delivery ended; `null` while it is unfinished. `not_sent` means that the message was not needed (R38),
     * and `answer` says why.
     */
    outcome: text("outcome", { enum: ["sent", "given_up", "not_sent"] }),
    /**
     * How the last attempt ended, in words for people: an SMTP reply, an HTTP status or an error. It contains no
     * secret.
     */
    answer: text("answer"),
    /**
     * Of a delivery that was sent in a digest: the digest's first delivery (R39). Of one that was not sent: the earlier
     * delivery by which the receiver knows of the same trouble (R38). Otherwise `null`.
     */
    digestId: integer("digest_id"),
    /**
     * A number that the delivery gets when it is given up, and loses after a notice has told other destinations of that
     * (R36); otherwise `null`. Of two deliveries to one destination, the one that was given up later has the higher
     * number.
     */
    untold: integer("untold"),
    /**
     * The monitor that the alert is about; `null` for a notice, for example. The monitor, the destination and the
     * recipient together name the delivery's lane.
     */
    monitorId: integer("monitor_id"),
    /**
     * The id that the receiving service gave to the message; `null` when it is not known, and for a digest. By it
     * rollcall edits the message, and recognises a person's reply to it (R23).
     */
    sentAs: text("sent_as"),
    /**
     * True when the whole message was sent but no response came, so that the destination perhaps took it. Such a
     * delivery does not hold up its lane, and is not sent again within the hour (R36).
     */
    perhapsTaken: integer("perhaps_taken", { mode: "boolean" }).notNull().default(false),
    /**
     * When the message is due by the plan for its lane (R38). The message's age counts from this instant, and once it
     * is due the plan does not change it. `null` while a manual pause or a suspension of the application holds it, and
     * for a message that was never to be sent.
     */
    dueAt: integer("due_at"),
    /**
     * Why the message is due at `due_at` (`WhyDue` of domain/telling/plan.ts); or `acknowledged`, when it was not sent
     * because a person acknowledged the incident. `null` for a test, and in rows of earlier versions.
     */
    why: text("why", { enum: ["now", "quiet", "after", "well", "behind", "paused", "acknowledged"] }),
    /** The name of the rota that led to this destination; `null` when a list of destinations names it directly. */
    via: text("via"),
    /**
     * The instant from which `after` counts: how long an incident must stay unacknowledged before the destination is
     * told. `null` means that it counts from `created_at`.
     */
    fromAt: integer("from_at"),
    /**
     * True for the delivery by which its receiver knows of trouble at the monitor: the newest message of trouble that
     * was sent or may have arrived. False again once a newer one replaces it, or the end was told.
     */
    stands: integer("stands", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("deliveries_sent_as").on(table.sentAs).where(sql`sent_as is not null`),
    // This index finds the deliveries of a monitor's lanes that wait, and those by which receivers know of trouble.
    index("deliveries_lanes")
      .on(table.monitorId, table.destination, table.recipient, table.id)
      .where(sql`finished_at is null or stands`),
    // This index finds the deliveries that may be attempted. A search reads one row for each destination, however many
    // wait.
    index("deliveries_waiting")
      .on(table.destination, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null and claimed_at is null`),
    index("deliveries_by_alert").on(table.alertId),
    // This index finds the deliveries of a destination that were not sent, without reading the many that were.
    index("deliveries_unsent_at").on(table.destination, table.outcome, table.id).where(sql`outcome is not 'sent'`),
    index("deliveries_untold").on(table.destination, table.untold).where(sql`untold is not null`),
  ],
);

/**
 * For each destination, the highest number `deliveries.untold` of which a notice has told. Later the numbers up to it
 * are removed from the destination's deliveries. Once none is left, this row is deleted.
 */
export const undeliveredNotified = sqliteTable("undelivered_told", {
  destination: text("destination").primaryKey(),
  upTo: integer("up_to").notNull(),
});

/** What rollcall must remember about each destination after a restart (R36). */
export const destinations = sqliteTable("destinations", {
  name: text("name").primaryKey(),
  /** A few digits of a hash of the destination's settings. When they differ, the settings have changed. */
  fingerprint: text("fingerprint"),
  /**
   * When the destination began to fail: its first failed attempt after its last success. `null` when the last attempt
   * succeeded, or when there was no attempt.
   */
  failingSince: integer("failing_since"),
  /**
   * The id in `alerts` of the notice that told other destinations of this one's failure. `null` when there is none, or
   * when a later notice has told that the destination works again.
   */
  toldAlertId: integer("told_alert_id"),
  /**
   * What the destination said when the last attempt failed. `null` when that attempt succeeded, or failed for a reason
   * that is not the destination's, such as a refused message. Also `null` once the destination's settings have changed.
   */
  failingAnswer: text("failing_answer"),
  /** True when a person must repair something before the destination takes messages, such as a wrong password. */
  failingBlocked: integer("failing_blocked", { mode: "boolean" }),
  /**
   * Since when the destination takes messages: since it was configured, or last stopped failing. `null` when not known.
   */
  worksSince: integer("works_since"),
});

/** The kept sections of the configuration. They count in addition to the configuration file (R31). */
export const kept = sqliteTable("kept", {
  /** The kind and the name of the section, such as `destination phone`. */
  name: text("name").primaryKey(),
  /** The section as it would be written in the configuration file, with its secrets. */
  toml: text("toml").notNull(),
  addedAt: integer("added_at").notNull(),
});

/** The last drill of each monitor. A monitor without a drill has no row. */
export const drills = sqliteTable("drills", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** The row of `alerts` that the drill sent. Its deliveries say how each destination took the drill. */
  alertId: integer("alert_id").notNull(),
  /** Whether the drill arrived; `null` while some of its deliveries are not finished. */
  outcome: text("outcome", { enum: ["delivered", "failed"] }),
});
