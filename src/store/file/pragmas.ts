// Sets SQLite's settings for the database, and reads each of them back. SQLite says nothing when it ignores a setting,
// and then pings could be lost, or rows could refer to rows that do not exist.

import type { Database } from "bun:sqlite";

const SETTINGS = [
  // How many milliseconds SQLite waits while another program has locked the file. All reports wait meanwhile.
  ["busy_timeout", 2_000],
  ["journal_mode", "wal"],
  // The value 2 is FULL: a commit is on disk before its pings are answered. With NORMAL a power cut would lose answered
  // pings.
  ["synchronous", 2],
  ["foreign_keys", 1],
  // Once its write-ahead log has this many pages, SQLite writes them back into the database's file. In a new file,
  // whose pages have 1,024 bytes, they are 4 MB.
  ["wal_autocheckpoint", 4_000],
  // The value 2 is MEMORY: SQLite sorts without a temporary file. So people can read lists even when the disk is full
  // or the process may open no more files.
  ["temp_store", 2],
] as const;

/**
 * Applies the settings. Throws, with a sentence for the operator, when SQLite did not take one. `inMemory` is true for
 * `:memory:`, which has no file and therefore no write-ahead log.
 */
export function applySettings(database: Database, inMemory: boolean): void {
  for (const [setting, value] of SETTINGS) {
    database.run(`PRAGMA ${setting} = ${value}`);
    const wanted = setting === "journal_mode" && inMemory ? "memory" : value;
    const found = readPragma(database, setting);
    if (found === wanted) continue;
    throw new Error(
      `SQLite could not set ${setting} to ${value} for ${database.filename}: it is ${found}. Is it on a local disk?`,
    );
  }
}

export const readPragma = (database: Database, setting: string): unknown =>
  Object.values(database.query(`PRAGMA ${setting}`).get() ?? {})[0];

/**
 * The size of the database file in bytes, without its log; how many of these bytes hold nothing; and SQLite's version.
 */
export function databaseSize(database: Database): {
  readonly bytes: number;
  readonly free: number;
  readonly sqlite: string;
} {
  const pages = (setting: string): number => Number(readPragma(database, setting));
  const page = pages("page_size");
  const { sqlite } = database.query<{ sqlite: string }, []>("SELECT sqlite_version() AS sqlite").get()!;
  return { bytes: pages("page_count") * page, free: pages("freelist_count") * page, sqlite };
}
