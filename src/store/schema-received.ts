// The tables about requests other than accepted reports, for people to look at: bounded, and they decide nothing; and
// of addresses that other services had and that work here after a move.

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

/**
 * Reports with a live key that were refused for another reason than the rate limit, by application, monitor and reason
 * (R33).
 */
export const rejectedReports = sqliteTable(
  "rejected_reports",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    /** The key of a monitor that need not exist; empty: we could read none. */
    monitorKey: text("monitor_key").notNull(),
    /** The code of the refusal, and its subject: a parameter, or empty. */
    code: text("code").notNull(),
    field: text("field").notNull(),
    reason: text("reason").notNull(),
    /** The newest report's kind; null: the request named no operation. */
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }),
    keyId: integer("key_id").notNull(),
    firstAt: integer("first_at").notNull(),
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /** When a notice named it, or when it needed none; null: not yet. */
    toldAt: integer("told_at"),
  },
  (table) => [
    uniqueIndex("rejected_reports_identity").on(table.applicationId, table.monitorKey, table.code, table.field),
    index("rejected_reports_untold").on(table.id).where(sql`told_at is null`),
  ],
);

/**
 * Reports that the rate limit refused: at most one row per monitor and minute, a fail before anything else (R26, R33).
 */
export const rateLimitedReports = sqliteTable(
  "refused_reports",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    kind: text("kind", { enum: ["heartbeat", "start", "complete", "fail", "log"] }).notNull(),
    message: text("message"),
    /** The setting whose limit refused it, such as `limits.v1_per_minute`. */
    setting: text("setting").notNull(),
  },
  (table) => [index("refused_reports_by_monitor").on(table.monitorId, table.at)],
);

/** One row: up to which id notices have named refused reports. */
export const rateLimitedNotified = sqliteTable("refused_told", {
  id: integer("id").primaryKey(),
  upTo: integer("up_to").notNull(),
});

// The table of addresses that other services had and that work here after a move.

/**
 * Each is a key of scope ping besides: its row in `api_keys` has the hash of its path, its application, and its last
 * use.
 */
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
