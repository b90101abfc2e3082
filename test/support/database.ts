// A database for tests: the real tables in memory, made by the real migrations. Nothing here replaces our own code.

import { Database, type SQLQueryBindings } from "bun:sqlite";
import { join } from "node:path";
import { openDatabase } from "../../src/store/file/database.ts";
import { openStore, type Store } from "../../src/store/store.ts";

/** A new, empty database in memory; it goes when nothing refers to it. */
export const openTestDatabase = (): Database => openDatabase(":memory:", 0);

/** The file `test.db` of a directory, set up as ours is and without tables: for what knows nothing of them. */
export function openBareFile(directory: string): Database {
  const opened = new Database(join(directory, "test.db"), { strict: true });
  opened.run("PRAGMA journal_mode = WAL");
  opened.run("PRAGMA synchronous = FULL");
  opened.run("PRAGMA foreign_keys = ON");
  return opened;
}

/** Changes monitors' own rows from outside, once nothing else holds newer facts. */
export function changeRows({ states, known, database }: Store, sql: string, params: SQLQueryBindings[] = []): void {
  states.followAll();
  states.reread();
  known.changing();
  database.run(sql, params);
}

/** The row functions over a new database in memory (`store.database`). */
export const openTestStore = (): Store => openStore(openTestDatabase());
