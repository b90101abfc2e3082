// The table of addresses that other services had and that work here after a move.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CONVENTIONS } from "../domain/old-address.ts";
import { apiKeys } from "./schema.ts";

/** Each is a key of scope ping besides: its row in `api_keys` has the hash of its path, its application, and its last use. */
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
