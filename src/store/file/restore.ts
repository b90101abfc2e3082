// Replaces the database by a backup, and leaves a mark of that for the next start. The replaced file is kept, and a
// process that is killed meanwhile leaves either the old database or the new one.

import { Database, SQLiteError } from "bun:sqlite";
import { chmodSync, chownSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { PARTIAL } from "../../domain/backup.ts";
import { type Copied, proveDatabase } from "./copy.ts";
import { DATABASE_FILE } from "./database.ts";
import {
  assertNoLink,
  assertOurs,
  createPrivateDirectory,
  guardDirectory,
  lackOfRoom,
  syncFile,
  unusedName,
} from "./database-files.ts";
import { type Carried, markRestored } from "./restored.ts";

export interface Restored extends Copied, Carried {
  readonly database: string;
  /** Where the replaced database is now; `null` when there was none. */
  readonly replaced: string | null;
}

/** SQLite's log of a database, which holds its newest rows after a crash. */
const LOG = "-wal";
const SHARED_MEMORY = "-shm";
/** SQLite's journal, by which it undoes a change that was not finished. */
const JOURNAL = "-journal";

/**
 * Puts the file `from` into the data directory. `suffix` makes the name of the replaced file. Throws an Error whose
 * message is a sentence for the operator: when rollcall runs there, or when the backup is damaged or of a newer
 * version; then nothing was changed.
 */
export function restoreDatabase(directory: string, from: string, suffix: string): Restored {
  if (!existsSync(from)) throw new Error(`${from} does not exist; nothing was changed`);
  assertOurs(from);
  if (statSync(from).size === 0) throw new Error(`${from} is empty; nothing was changed`);
  createPrivateDirectory(directory);
  const database = `${directory}/${DATABASE_FILE}`;
  assertNoLink(database);
  const lack = lackOfRoom(from, directory, (bytes) => bytes);
  if (lack !== null)
    throw new Error(`${directory} has ${lack.free} free, and a restore needs ${lack.wanted}; nothing was changed`);
  const release = guardDirectory(directory);
  try {
    const copied = bringIn(from, database + PARTIAL);
    const replaced = existsSync(database) ? unusedName(`${database}.${suffix}`) : null;
    if (replaced !== null) setAside(database, replaced);
    const carried = markRestored(database + PARTIAL, replaced);
    syncFile(database + PARTIAL);
    renameSync(database + PARTIAL, database);
    syncFile(directory);
    return { ...copied, ...carried, database, replaced };
  } finally {
    for (const ending of ["", LOG, SHARED_MEMORY, JOURNAL]) rmSync(database + PARTIAL + ending, { force: true });
    release();
  }
}

/**
 * Makes a proved copy of the backup. If the backup was made by plain copying, its log may lie beside it, and belongs to
 * it.
 */
function bringIn(from: string, to: string): Copied {
  // A journal that a killed restore left would be taken for a part of this copy.
  rmSync(to + JOURNAL, { force: true });
  copyFileSync(from, to);
  if (existsSync(from + LOG)) copyFileSync(from + LOG, to + LOG);
  else rmSync(to + LOG, { force: true });
  rmSync(to + SHARED_MEMORY, { force: true });
  chmodSync(to, 0o600);
  const { uid, gid } = statSync(to.slice(0, to.lastIndexOf("/")));
  if (process.getuid?.() === 0) chownSync(to, uid, gid);
  foldInLog(to);
  const copied = proveDatabase(to);
  syncFile(to);
  return copied;
}

/**
 * Folds the log of a database into its file, which is then complete by itself. Throws, with a sentence for the
 * operator, when it cannot be read.
 */
function foldInLog(path: string): void {
  try {
    const database = new Database(path, { readwrite: true });
    try {
      database.run("PRAGMA journal_mode = DELETE");
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw new Error(`the backup is damaged: ${error.message}; nothing was changed`, { cause: error });
  }
}

/**
 * Gives the database a second name, which stays; the new database then takes its first name in a single step. A log
 * that cannot be folded in is renamed too, because beside the new database it would be read as part of that.
 */
function setAside(database: string, replaced: string): void {
  try {
    foldInLog(database);
  } catch {
    // A damaged database is a reason to restore.
  }
  linkSync(database, replaced);
  for (const ending of [LOG, JOURNAL])
    if (existsSync(database + ending)) renameSync(database + ending, replaced + ending);
  rmSync(database + SHARED_MEMORY, { force: true });
  syncFile(replaced);
}
