// The tables about requests other than accepted reports, and how long runs take, for people to look at: bounded, and
// they decide nothing; and of addresses that other services had and that work here after a move.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { CONVENTIONS } from "../domain/old-address.ts";
import { apiKeys } from "./schema.ts";

/** Bulk syncs and what each did (R29); syncs of a source that repeat the last one and change nothing share its row. */
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

/** Reports with a live key that were refused, by application, monitor and reason, failures apart (R26, R33). */
export const refusedReports = sqliteTable(
  "refused_reports",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    /** The key of a monitor that need not exist; empty: we could read none. */
    monitorKey: text("monitor_key").notNull(),
    /** The code of the refusal, and its subject: a parameter, the setting of a limit, or empty. */
    code: text("code").notNull(),
    field: text("field").notNull(),
    failed: integer("failed", { mode: "boolean" }).notNull(),
    reason: text("reason").notNull(),
    /** The newest report's kind; null: the request named no operation. */
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }),
    /** What the newest failure said that said something. */
    message: text("message"),
    keyId: integer("key_id").notNull(),
    firstAt: integer("first_at").notNull(),
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /** Rises with each report that is news; 0: none was. Untold are those above `up_to` of `refused_told`. */
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

/** One row: up to which news notices have named refused reports. */
export const refusedNotified = sqliteTable("refused_told", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
});

// The table of addresses that other services had and that work here after a move.

/** Each is a key of scope ping besides: `api_keys` has the hash of its path, its application, its last use. */
export const oldAddresses = sqliteTable(
  "old_addresses",
  {
    keyId: integer("key_id")
      .primaryKey()
      .references(() => apiKeys.id),
    convention: text("convention", { enum: [...CONVENTIONS] }).notNull(),
    /** The monitor that it reports, which need not exist; null for `healthchecks-create`. */
    monitorKey: text("monitor_key"),
    /** With what the keys of the monitors begin that `healthchecks-create` creates; null for all others. */
    prefix: text("prefix"),
    /** The address without what is secret in it. */
    shown: text("shown").notNull(),
  },
  (table) => [index("old_addresses_by_monitor").on(table.monitorKey)],
);

/** How long a monitor's runs take; follows them by up to a day, never in their batch. */
export const runLengths = sqliteTable("run_lengths", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** As JSON, the weeks of domain/monitor/run-lengths.ts. */
  weeks: text("weeks").notNull(),
});
