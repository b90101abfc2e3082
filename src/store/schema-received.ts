// The tables about requests other than accepted reports, and about how long runs take. They are for people to look at,
// limited in size, and decide nothing. Also the table of other services' addresses that work here.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CONVENTIONS } from "../domain/old-address.ts";
import { apiKeys } from "./schema.ts";

/**
 * Bulk syncs and what each did (R29). A sync that repeats the last one of its source and changes nothing shares its
 * row.
 */
export const syncs = sqliteTable(
  "syncs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    keyId: integer("key_id").notNull(),
    source: text("source").notNull(),
    version: text("version"),
    /** Whether it was to withdraw monitors that it did not name (R28). */
    authoritative: integer("authoritative", { mode: "boolean" }).notNull(),
    firstAt: integer("first_at").notNull(),
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /** What it did and what it withheld, as JSON. */
    outcome: text("outcome").notNull(),
  },
  (table) => [index("syncs_by_source").on(table.applicationId, table.source)],
);

/** Refused reports with a valid key, by application, monitor and reason; failures have their own rows (R26, R33). */
export const refusedReports = sqliteTable(
  "refused_reports",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    /** The key of a monitor that need not exist; empty when none could be read. */
    monitorKey: text("monitor_key").notNull(),
    /** The code of the refusal, and its subject: a parameter, the setting of a limit, or empty. */
    code: text("code").notNull(),
    field: text("field").notNull(),
    failed: integer("failed", { mode: "boolean" }).notNull(),
    reason: text("reason").notNull(),
    /** The newest report's kind; `null` when the request named no operation. */
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }),
    /** The message of the newest failure that had one. */
    message: text("message"),
    keyId: integer("key_id").notNull(),
    firstAt: integer("first_at").notNull(),
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /** Grows with each report that is news; 0 when none was. Those above `up_to` of `refused_told` are untold. */
    news: integer("news").notNull(),
    /** When a notice last named it, if it is a failure. */
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

/** One row that says up to which news notices have named refused reports. */
export const refusedNotified = sqliteTable("refused_told", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
});

// The table of addresses that other services had and that work here after a move.

/** Each address is also a key of scope ping: `api_keys` has the hash of its path, its application and its last use. */
export const oldAddresses = sqliteTable(
  "old_addresses",
  {
    keyId: integer("key_id")
      .primaryKey()
      .references(() => apiKeys.id),
    convention: text("convention", { enum: [...CONVENTIONS] }).notNull(),
    /** The monitor that it reports, which need not exist; `null` for `healthchecks-create`. */
    monitorKey: text("monitor_key"),
    /** The beginning of the keys of monitors that `healthchecks-create` creates; `null` for all others. */
    prefix: text("prefix"),
    /** The address without its secret part. */
    shown: text("shown").notNull(),
  },
  (table) => [index("old_addresses_by_monitor").on(table.monitorKey)],
);

/** How long a monitor's runs take. It is updated up to a day later, never in the batch of a report. */
export const runLengths = sqliteTable("run_lengths", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** The weeks of domain/monitor/run-lengths.ts, as JSON. */
  weeks: text("weeks").notNull(),
});
