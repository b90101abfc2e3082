// The tables about what callers send besides accepted reports: bulk syncs and refused reports. The number of these rows
// is limited. This file also has the tables of the addresses that jobs used with other services, and of how long runs
// take.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CONVENTIONS } from "../domain/old-address.ts";
import { apiKeys } from "./schema.ts";

/**
 * Bulk syncs and what each did (R29). A sync that changes nothing and equals the last one of its source gets no row.
 * Instead the row of the last one gets a higher `times` and the new `at`.
 */
export const syncs = sqliteTable(
  "syncs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    keyId: integer("key_id").notNull(),
    source: text("source").notNull(),
    version: text("version"),
    /** True when the registry's list was complete, so that monitors it did not name were to be withdrawn (R28). */
    authoritative: integer("authoritative", { mode: "boolean" }).notNull(),
    firstAt: integer("first_at").notNull(),
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /**
     * As JSON: what the sync created, changed and withdrew, which entries it refused, and which monitors it did not
     * withdraw because of refused entries.
     */
    outcome: text("outcome").notNull(),
  },
  (table) => [index("syncs_by_source").on(table.applicationId, table.source)],
);

/**
 * Reports that were refused although rollcall knows the API key with which they came (R33). One row counts all reports
 * of one application, monitor and reason; reports that a job failed (`failed`) are counted in a separate row (R26).
 */
export const refusedReports = sqliteTable(
  "refused_reports",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    /** The key that the report named, even if no such monitor exists; empty when the request named none. */
    monitorKey: text("monitor_key").notNull(),
    /**
     * The error code of the refusal, and its subject: a parameter, or the setting that limits the rate. `field` is
     * empty when there is no such subject.
     */
    code: text("code").notNull(),
    field: text("field").notNull(),
    failed: integer("failed", { mode: "boolean" }).notNull(),
    reason: text("reason").notNull(),
    /** The kind of the newest report in this row; `null` when its request did not say what to report. */
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }),
    /** The newest message that a report of this row brought; `null` when none brought one. */
    message: text("message"),
    keyId: integer("key_id").notNull(),
    firstAt: integer("first_at").notNull(),
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /**
     * Reports of which people must learn are numbered in the order of their coming, over all rows. This is the number
     * of the newest such report of this row; 0 when there was none. A notice has still to name the rows with a number
     * above `refused_told.up_to`.
     */
    news: integer("news").notNull(),
    /** When a notice last named the row; `null` when none did. Only rows of refused fails (`failed`) have it. */
    toldAt: integer("told_at"),
  },
  (table) => [
    uniqueIndex("refused_reports_identity").on(
      table.applicationId,
      table.monitorKey,
      table.code,
      table.field,
      table.failed,
    ),
    index("refused_reports_news").on(table.news, table.failed),
    index("refused_reports_by_at").on(table.at),
    index("refused_reports_wrong").on(table.applicationId, table.at).where(sql`code <> 'RATE_LIMIT_EXCEEDED'`),
  ],
);

/** One row with the highest `news` of `refused_reports` that a notice has named. */
export const refusedNotified = sqliteTable("refused_told", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
});

// The addresses of other services, at which jobs go on reporting here.

/**
 * One address of another service. It works like a key of scope `ping`: the row `key_id` of `api_keys` has the hash of
 * the address's path, its application and its last use.
 */
export const oldAddresses = sqliteTable(
  "old_addresses",
  {
    keyId: integer("key_id")
      .primaryKey()
      .references(() => apiKeys.id),
    convention: text("convention", { enum: [...CONVENTIONS] }).notNull(),
    /**
     * The key of the monitor that the address reports, even if no such monitor exists yet; `null` when the address
     * creates monitors (`healthchecks-create`).
     */
    monitorKey: text("monitor_key"),
    /** The beginning of the keys of the monitors that the address creates (`healthchecks-create`); otherwise `null`. */
    prefix: text("prefix"),
    /** The address as people may see it, without its secret part. */
    shown: text("shown").notNull(),
  },
  (table) => [index("old_addresses_by_monitor").on(table.monitorKey)],
);

/** How long a monitor's runs take. The row is updated up to a day later, never in a report's own transaction. */
export const runLengths = sqliteTable("run_lengths", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /**
   * For each week the number of measured runs and their median length, as JSON (`RunWeek` of
   * domain/monitor/run-lengths.ts).
   */
  weeks: text("weeks").notNull(),
});
