// Sets SQLite's settings and reads each back, because an ignored one would lose pings, or let rows refer to nothing.

import type { Database } from "bun:sqlite";

const SETTINGS = [
  // Milliseconds to wait for another tool that has the file open; short, because everything waits.
  ["busy_timeout", 2_000],
  ["journal_mode", "wal"],
  // FULL (2): a commit is on disk before it is answered. With NORMAL a power cut loses acknowledged pings.
  ["synchronous", 2],
  ["foreign_keys", 1],
  // After this many pages, which are 4 MB, the log is folded back into the file.
  ["wal_autocheckpoint", 4_000],
  // MEMORY (2): sorting needs no file, so people can look when the disk is full and no descriptor is free.
  ["temp_store", 2],
] as const;

/**
 * Applies the settings and reads each back. Throws, with a sentence for the operator, when SQLite did not take one.
 * With `inMemory` there is no file, so there can be no write-ahead log.
 */
export function applySettings(database: Database, inMemory: boolean): void {
  for (const [setting, value] of SETTINGS) {
    database.run(`PRAGMA ${setting} = ${value}`);
    const wanted = setting === "journal_mode" && inMemory ? "memory" : value;
    const found = readSetting(database, setting);
    if (found === wanted) continue;
    throw new Error(
      `SQLite could not set ${setting} to ${value} for ${database.filename}: it is ${found}. Is it on a local disk?`,
    );
  }
}

export const readSetting = (database: Database, setting: string): unknown =>
  Object.values(database.query(`PRAGMA ${setting}`).get() ?? {})[0];

/** The size of the database file in bytes, once its log is folded in, and how many of these bytes are unused. */
export function databaseSize(database: Database): {
  readonly bytes: number;
  readonly free: number;
  readonly sqlite: string;
} {
  const pages = (setting: string): number => Number(readSetting(database, setting));
  const page = pages("page_size");
  const { sqlite } = database.query<{ sqlite: string }, []>("SELECT sqlite_version() AS sqlite").get()!;
  return { bytes: pages("page_count") * page, free: pages("freelist_count") * page, sqlite };
}
