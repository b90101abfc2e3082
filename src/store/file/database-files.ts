// The files of the data directory. They are created for their owner alone, and checked before SQLite may open them.
// This file also says whether there is room for another file, and holds the guard by which only one process uses the
// directory.

import { Database, SQLiteError } from "bun:sqlite";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { PARTIAL } from "../../domain/backup.ts";
import { orElse } from "../../domain/unless-missing.ts";

/** Marks a SQLite file as rollcall's in its header ("roll" in ASCII). */
export const APPLICATION_ID = 0x726f6c6c;

const HEADER_BYTES = 100;
const APPLICATION_ID_OFFSET = 68;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");

/** Creates the directory and its parents with mode 0700. An existing one keeps its mode. */
export function createPrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Whether other users may put files into the directory and so replace the database; false when that cannot be seen. */
export function isWritableByOthers(directory: string): boolean {
  try {
    return (statSync(directory).mode & 0o022) !== 0;
  } catch {
    return false;
  }
}

/**
 * Throws, with a sentence for the operator, when the path is a link, because its locks and its log would be another
 * file's.
 */
export function assertNoLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Error(`${path} is a symbolic link; set storage.directory to the directory in which the file itself is`);
}

/**
 * Creates an empty file with mode 0600 unless it exists. An existing file is not opened, because closing it would drop
 * every lock that this process holds on it (POSIX).
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

export const makePrivate = (path: string): void => chmodSync(path, 0o600);

/**
 * Throws, with a sentence for the operator, unless the file is empty or a rollcall database. Only the header's bytes
 * are read: SQLite would write to a foreign database as soon as it is asked for a journal mode.
 */
export function assertOurs(path: string): void {
  const header = readHeader(path);
  if (header.length === 0) return;
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new Error(`${path} is not a database; it was left as it is`);
  }
  if (header.readUInt32BE(APPLICATION_ID_OFFSET) !== APPLICATION_ID) {
    throw new Error(`${path} is a database of another program, not of rollcall; it was left as it is`);
  }
}

function readHeader(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The free bytes. Throws when the directory cannot be read. */
export function freeIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * Checks whether the directory has room for the bytes that `needed` computes from the size of a database with its log.
 * Returns `null` when it has, otherwise both sizes in words.
 */
export function lackOfRoom(
  database: string,
  directory: string,
  needed: (bytes: number) => number,
): { readonly free: string; readonly wanted: string } | null {
  const size = statSync(database).size + (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const free = freeIn(directory);
  if (free >= needed(size)) return null;
  return { free: `${Math.floor(free / 1e6)} MB`, wanted: `${Math.ceil(needed(size) / 1e6)} MB` };
}

/**
 * Returns a name that no file has: this one, or with a number after it when two come in one second or one was killed.
 */
export function unusedName(name: string, ending = ""): string {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name + ending : `${name}-${number}${ending}`;
    if (!existsSync(tried)) return tried;
  }
}

/** Writes a file with mode 0600. It appears under its name only once all of it is on disk, otherwise not at all. */
export function writeWhole<Written>(path: string, write: (partial: string) => Written): Written {
  const partial = path + PARTIAL;
  rmSync(partial, { force: true });
  try {
    createPrivateFile(partial);
    const written = write(partial);
    syncFile(partial);
    renameSync(partial, path);
    syncFile(dirname(path));
    return written;
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

// The guard of a data directory: exactly one process holds it, so exactly one writes the database. It is a lock of the
// operating system and vanishes with its process, however that ends. The file itself stays and means nothing.

const LOCK_FILE = "rollcall.lock";

/**
 * The guards are referenced here, because the garbage collector closes a database without a reference, and then its
 * lock is gone.
 */
const held = new Set<Database>();

/**
 * The process that holds a guard whose file was deleted or replaced, for example by a clean-up, so that its lock stops
 * no other process any more. `null` when there is none, or it cannot be seen, as without /proc or from another
 * container.
 */
function holderOfDeleted(directory: string): string | null {
  const deleted = `${realpathSync(directory)}/${LOCK_FILE} (deleted)`;
  const holds = (pid: string): boolean =>
    orElse([], () => readdirSync(`/proc/${pid}/fd`)).some(
      (descriptor) => orElse("", () => readlinkSync(`/proc/${pid}/fd/${descriptor}`)) === deleted,
    );
  const processes = orElse([], () => readdirSync("/proc")).filter((name) => /^\d+$/.test(name));
  return processes.find(holds) ?? null;
}

/**
 * Takes the guard of an existing directory and returns the function that releases it. Throws, with a sentence for the
 * operator, when another process or another part of this one holds it.
 */
export function guardDirectory(directory: string): () => void {
  const path = `${directory}/${LOCK_FILE}`;
  createPrivateFile(path);
  const lock = new Database(path, { readwrite: true });
  try {
    // The file is never written, so no journal file is ever needed.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY")) throw error;
    throw new Error(`rollcall already runs on ${directory}: another process holds ${path}`, { cause: error });
  }
  const other = holderOfDeleted(directory);
  if (other !== null) {
    lock.close();
    throw new Error(
      `rollcall already runs on ${directory}: process ${other} holds ${path}, which was deleted meanwhile`,
    );
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}
