// Opens the database: one file, one writing process, settings that keep what was acknowledged through a power cut.
// Whatever is wrong with the file is found here, at the start, and said in a sentence for the operator.

import { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { APPLICATION_ID, assertOurs, createPrivateDirectory, createPrivateFile, makePrivate } from "./files.ts";
import { guardDirectory } from "./guard.ts";
import { MIGRATIONS, type Migration, migrate, pendingMigrations } from "./migrations.ts";

const DATABASE_FILE = "rollcall.db";

const IN_MEMORY = ":memory:";

const SETTINGS = [
  // Milliseconds to wait for somebody who looks into the file with another tool; short, since everything waits.
  ["busy_timeout", 2_000],
  ["journal_mode", "wal"],
  // FULL (2): a commit is on disk before it is answered. With NORMAL a power cut loses acknowledged pings.
  ["synchronous", 2],
  ["foreign_keys", 1],
  ["wal_autocheckpoint", 1_000],
] as const;

/**
 * Opens the database of a data directory for this process alone; creates both where they are missing. `at` is recorded
 * as the time of the migrations that were applied. Throws an Error whose message is a sentence for the operator.
 */
export function openDirectory(directory: string, at: Instant): { readonly database: Database; close(): void } {
  createPrivateDirectory(directory);
  const release = guardDirectory(directory);
  try {
    const database = openDatabase(`${directory}/${DATABASE_FILE}`, at);
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
 * Opens one database file (or `:memory:`), sets it up and migrates it. Does not keep other processes out; `serve` goes
 * through `openDirectory`. Throws as that does, and then leaves a file that is not ours, or newer, as it was.
 */
export function openDatabase(path: string, at: Instant, known: readonly Migration[] = MIGRATIONS): Database {
  if (path !== IN_MEMORY) {
    createPrivateFile(path);
    assertOurs(path);
  }
  const database = new Database(path, { readwrite: true, create: path === IN_MEMORY, strict: true });
  try {
    pendingMigrations(database, known);
    if (path !== IN_MEMORY) makePrivate(path);
    setUp(database, path);
    migrate(database, known, at);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function setUp(database: Database, path: string): void {
  // Before the journal mode: so it stands in the file itself from its first page on, and not in the log beside it.
  if (readSetting(database, "application_id") === 0) database.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  for (const [setting, value] of SETTINGS) {
    database.run(`PRAGMA ${setting} = ${value}`);
    const wanted = setting === "journal_mode" && path === IN_MEMORY ? "memory" : value;
    const found = readSetting(database, setting);
    if (found === wanted) continue;
    throw new Error(
      `${path}: SQLite could not set ${setting} to ${value}, it is ${found}. Is the directory on a local disk?`,
    );
  }
}

const readSetting = (database: Database, setting: string): unknown =>
  Object.values(database.query(`PRAGMA ${setting}`).get() ?? {})[0];
