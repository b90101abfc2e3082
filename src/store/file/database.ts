// Opens the database and sets it up, so that a power cut loses no report that was answered. What is wrong with the file
// is found here, at the start, and said in a sentence for the operator.

import { Database, SQLiteError } from "bun:sqlite";
import type { Log } from "../../domain/log.ts";
import type { Instant } from "../../domain/time.ts";
import {
  APPLICATION_ID,
  assertNoDatabaseLink,
  assertRollcallDatabase,
  createDatabaseFile,
  createDataDirectory,
  lockDirectory,
  makePrivate,
} from "./database-files.ts";
import { MIGRATIONS, type Migration, migrate, pendingMigrations } from "./migrations.ts";
import { applySettings, readPragma } from "./pragmas.ts";

export const DATABASE_FILE = "rollcall.db";

const IN_MEMORY = ":memory:";

/**
 * The size of SQLite's pages in a new file, in bytes; an older file keeps its own. For each changed row SQLite writes a
 * whole page. With its default of 4,096 bytes, 2.5 times as much was written.
 */
const PAGE_BYTES = 1_024;

/**
 * Opens the database of a data directory, and keeps other processes out until `close`. Creates the directory and the
 * database if they are missing. `at` is stored as the time of the migrations. Throws an Error whose message is a
 * sentence for the operator.
 */
export function openDirectory(
  directory: string,
  at: Instant,
  log: Log = () => {},
): { readonly database: Database; close(): void } {
  createDataDirectory(directory);
  assertNoDatabaseLink(`${directory}/${DATABASE_FILE}`);
  const release = lockDirectory(directory);
  try {
    const database = openDatabase(`${directory}/${DATABASE_FILE}`, at, MIGRATIONS, log);
    return {
      database,
      close: () => {
        database.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Opens one database file, or `:memory:`, sets it up and migrates it, without keeping other processes out. Throws an
 * Error whose message is a sentence for the operator. A file of another program or of a newer version is left as it
 * was.
 */
export function openDatabase(
  path: string,
  at: Instant,
  known: readonly Migration[] = MIGRATIONS,
  log: Log = () => {},
): Database {
  if (path !== IN_MEMORY) {
    createDatabaseFile(path);
    assertRollcallDatabase(path);
  }
  // With `strict`, a statement throws when one of its parameters is given no value.
  const database = new Database(path, { readwrite: true, create: path === IN_MEMORY, strict: true });
  try {
    pendingMigrations(database, known);
    if (path !== IN_MEMORY) makePrivate(path);
    // The page size and the application id are set before the journal mode, so that they are in the file from its first
    // page on, not only in its log.
    if (readPragma(database, "application_id") === 0) {
      database.run(`PRAGMA page_size = ${PAGE_BYTES}`);
      database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    }
    applySettings(database, path === IN_MEMORY);
    migrate(database, known, at, log);
    return database;
  } catch (error) {
    database.close();
    if (!(error instanceof SQLiteError)) throw error;
    throw new Error(`${path} cannot be opened: ${error.message}`, { cause: error });
  }
}
