// A database for tests: the real tables in memory, made by the real migrations. Nothing here replaces our own code.

import type { Database } from "bun:sqlite";
import { openDatabase } from "../../src/store/database.ts";
import type { WatchRules } from "../../src/store/monitors.ts";
import { openStore, type Store } from "../../src/store/store.ts";

/** A new, empty database in memory; it goes when nothing refers to it. */
export const openTestDatabase = (): Database => openDatabase(":memory:", 0);

/** The row functions over a new database in memory (`store.database`). */
export const openTestStore = (): Store => openStore(openTestDatabase());

/** What the configuration says of every monitor when it says nothing. */
export const NO_RULES: WatchRules = () => ({
  alertAfterMisses: 1,
  alertAfterFailures: 1,
  reminders: { after: [], every: 0, max: 0 },
});
