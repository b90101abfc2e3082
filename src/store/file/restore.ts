// Puts a backup in the place of the database, for `rollcall restore`. The replaced file is kept. If the process is
// killed, either the old database is in place or the new one. restored.ts tells the next start of the restore.

import { Database, SQLiteError } from "bun:sqlite";
import { chmodSync, chownSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { PARTIAL } from "../../domain/backup.ts";
import { type Copied, proveDatabase } from "./copy.ts";
import { DATABASE_FILE } from "./database.ts";
import {
  assertNoDatabaseLink,
  assertRollcallDatabase,
  createDataDirectory,
  lackOfRoom,
  lockDirectory,
  syncFile,
  unusedPath,
} from "./database-files.ts";
import { type Carried, markRestored } from "./restored.ts";

export interface Restored extends Copied, Carried {
  readonly database: string;
  /** The path to which the replaced database was moved; `null` when there was none. */
  readonly replaced: string | null;
}

/** The ending of the name of SQLite's write-ahead log. After a crash the log has the newest rows. */
const LOG = "-wal";
const SHARED_MEMORY = "-shm";
/** The ending of the name of SQLite's journal. With the journal SQLite undoes a change that a crash has interrupted. */
const JOURNAL = "-journal";

/**
 * Puts the backup `from` into the data directory. The replaced file keeps its name with `suffix` added. Throws an Error
 * whose message is a sentence for the operator: when rollcall uses the directory, or when the backup is damaged or of a
 * newer version. Then nothing was changed.
 */
export function restoreDatabase(directory: string, from: string, suffix: string): Restored {
  if (!existsSync(from)) throw new Error(`${from} does not exist; nothing was changed`);
  assertRollcallDatabase(from);
  if (statSync(from).size === 0) throw new Error(`${from} is empty; nothing was changed`);
  createDataDirectory(directory);
  const database = `${directory}/${DATABASE_FILE}`;
  assertNoDatabaseLink(database);
  const lack = lackOfRoom(from, directory, (bytes) => bytes);
  if (lack !== null)
    throw new Error(`${directory} has ${lack.free} free, and a restore needs ${lack.wanted}; nothing was changed`);
  const release = lockDirectory(directory);
  try {
    const copied = bringIn(from, database + PARTIAL);
    const replaced = existsSync(database) ? unusedPath(`${database}.${suffix}`) : null;
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
 * Copies the backup to `to` and proves that the copy is a whole rollcall database. A backup that was made by copying
 * files may have its log beside it; the log is copied too.
 */
function bringIn(from: string, to: string): Copied {
  // An earlier restore that was killed may have left a journal. SQLite would apply it to this copy.
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
 * Writes the log of a database into its file, so that the file is complete without it. Throws, with a sentence for the
 * operator, when the database cannot be read.
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
 * Gives the file of the replaced database the name `replaced` in addition to its own. The caller then puts the restored
 * database under the file's own name in one step, so that a database has this name at every moment. A log of the
 * replaced database that cannot be written into its file is renamed too, because SQLite would read it as the new
 * database's log.
 */
function setAside(database: string, replaced: string): void {
  try {
    foldInLog(database);
  } catch {
    // The replaced database may be damaged; that may be the reason for the restore.
  }
  linkSync(database, replaced);
  for (const ending of [LOG, JOURNAL])
    if (existsSync(database + ending)) renameSync(database + ending, replaced + ending);
  rmSync(database + SHARED_MEMORY, { force: true });
  syncFile(replaced);
}
