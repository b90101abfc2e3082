// Creates and checks the files of the data directory, which only their owner may read. This file also says whether the
// disk has room for one more file, and takes the lock by which only one process uses the directory.

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

/** The number in a SQLite file's header that says that the file is rollcall's: "roll" in ASCII. */
export const APPLICATION_ID = 0x726f6c6c;

const HEADER_BYTES = 100;
const APPLICATION_ID_OFFSET = 68;
const MAGIC = Buffer.from("SQLite format 3\0", "latin1");

/** Creates the directory and its parents with mode 0700. If the directory exists, its mode is not changed. */
export function createDataDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/**
 * Whether other users may write to the directory, so that they could replace the database. False when the directory
 * cannot be read.
 */
export function isWritableByOthers(directory: string): boolean {
  try {
    return (statSync(directory).mode & 0o022) !== 0;
  } catch {
    return false;
  }
}

/**
 * Throws, with a sentence for the operator, when the path is a symbolic link. By a link two processes could use one
 * database from two directories, each with its own lock.
 */
export function assertNoDatabaseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Error(`${path} is a symbolic link; set storage.directory to the directory in which the file itself is`);
}

/**
 * Creates an empty file with mode 0600 if there is none. An existing file is not opened, because closing it would end
 * all locks that this process has on it (POSIX).
 */
export function createDatabaseFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

export const makePrivate = (path: string): void => chmodSync(path, 0o600);

/**
 * Throws, with a sentence for the operator, unless the file is empty or a database of rollcall. It reads only the
 * header and does not open the file with SQLite, which could already change another program's database.
 */
export function assertRollcallDatabase(path: string): void {
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

/** The number of bytes that are free on the directory's disk. Throws when the directory cannot be read. */
export function bytesFree(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/**
 * Checks whether the directory's disk has enough room. `needed` gets the size of the database with its log, and returns
 * how many bytes must be free. Returns `null` when they are, otherwise the free and the needed size, for example `12
 * MB`.
 */
export function lackOfRoom(
  database: string,
  directory: string,
  needed: (bytes: number) => number,
): { readonly free: string; readonly wanted: string } | null {
  const size = statSync(database).size + (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const free = bytesFree(directory);
  if (free >= needed(size)) return null;
  return { free: `${Math.floor(free / 1e6)} MB`, wanted: `${Math.ceil(needed(size) / 1e6)} MB` };
}

/**
 * Returns a path that no file has: `name` with its ending, or with a number in between. A name may be taken when two
 * files are made in the same second.
 */
export function unusedPath(name: string, ending = ""): string {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name + ending : `${name}-${number}${ending}`;
    if (!existsSync(tried)) return tried;
  }
}

/**
 * Writes a file with mode 0600. The file gets its name only when all of it is on disk; when `write` throws, there is no
 * file.
 */
export function writeWholeFile<Written>(path: string, write: (partial: string) => Written): Written {
  const partial = path + PARTIAL;
  rmSync(partial, { force: true });
  try {
    createDatabaseFile(partial);
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

// The lock of a data directory. Exactly one process holds it, so exactly one process writes the database. It is a lock
// of the operating system on a file, and ends with its process, even if that is killed. The file itself stays, so its
// existence does not mean that the directory is locked.

const LOCK_FILE = "rollcall.lock";

/**
 * The locks that this process holds, each an open database. Without a reference here, the garbage collector would close
 * it, and that would end the lock.
 */
const held = new Set<Database>();

/**
 * Returns the id of a process that holds the lock on a file that was deleted or replaced meanwhile, for example by a
 * clean-up. Such a lock keeps no other process out. Returns `null` when there is none, or when that cannot be seen:
 * without /proc, or when the process runs in another container.
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
 * Takes the lock of an existing directory, and returns the function that releases it. Throws, with a sentence for the
 * operator, when another process or another part of this process holds it.
 */
export function lockDirectory(directory: string): () => void {
  const path = `${directory}/${LOCK_FILE}`;
  createDatabaseFile(path);
  const lock = new Database(path, { readwrite: true });
  try {
    // The lock file stays empty, so SQLite needs no journal file beside it.
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
