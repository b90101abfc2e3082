// The tables of what came in beside accepted reports, for people to look at: bounded, and nothing is decided by them.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Bulk syncs and what each did (R29); those of a source that repeat the last one and change nothing share its row. */
export const syncs = sqliteTable(
  "syncs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    applicationId: integer("application_id").notNull(),
    keyId: integer("key_id").notNull(),
    source: text("source").notNull(),
    version: text("version"),
    /** Whether it was to withdraw what it did not name (R28). */
    authoritative: integer("authoritative", { mode: "boolean" }).notNull(),
    firstAt: integer("first_at").notNull(),
    /** Of the last of them. */
    at: integer("at").notNull(),
    times: integer("times").notNull(),
    /** As JSON, what it did and what it withheld. */
    outcome: text("outcome").notNull(),
  },
  (table) => [index("syncs_by_source").on(table.applicationId, table.source)],
);
