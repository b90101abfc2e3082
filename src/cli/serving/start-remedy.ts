// What an operator can do about a service that does not start: a sentence for each fault that a machine commonly has.

import { statfsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { Log } from "../../domain/log.ts";
import { readDescriptors } from "../../http/descriptors.ts";
import { backupToRestore, LOST } from "./lost-database.ts";
import { rightsTo } from "./rights.ts";

/** Null: we know none, and the error has to do. Reads backups from end to end where the database is damaged. */
export function remedyOf(error: unknown, { server, storage: { directory } }: Config, log: Log): string | null {
  const address = `${server.host}:${server.port}`;
  const fault = faultOf(error, address);
  if (fault?.startsWith("SQLITE_IOERR")) return isFull(directory) ? fullDisk(directory) : badDisk(directory);
  switch (fault) {
    case "EADDRINUSE":
      return `another program listens on ${address}: stop it (ss -ltnp names it), or set server.listen to another port`;
    case "EADDRNOTAVAIL":
      return `this machine has no address ${server.host}: set server.listen to one that it has`;
    case "PORT":
      return `only root may listen on port ${server.port}: set server.listen to one above 1023, and let a proxy take ${server.port}`;
    case "RUNS":
      return `one rollcall serves a directory: stop the other (fuser -v ${directory}/rollcall.lock names it), or give this one a storage.directory of its own`;
    case "EMFILE":
    case "ENFILE":
      return tooFewFiles();
    case "EROFS":
      return `${directory} is on a file system that cannot be written: mount it for writing, or set storage.directory`;
    case "ENOSPC":
    case "SQLITE_FULL":
      return fullDisk(directory);
    case "EEXIST":
    case "ENOTDIR":
      return `${directory} is, or lies below, a file: set storage.directory to a directory`;
    case "EACCES":
    case "EPERM":
    case "SQLITE_READONLY":
      return rightsTo(directory);
    case "SQLITE_CANTOPEN":
      return areFilesShort() ? tooFewFiles() : rightsTo(directory);
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
    case "DAMAGED":
    case LOST:
      return backupToRestore(directory, log);
    default:
      return null;
  }
}

/** The code of the error or of what caused it; a word of ours where only its words tell. */
function faultOf(error: unknown, address: string): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === `permission denied ${address}`) return "PORT";
  if (error.message.startsWith("rollcall already runs on")) return "RUNS";
  if (error.message.includes("is not a database")) return "DAMAGED";
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return code ?? faultOf(error.cause, address);
}

const fullDisk = (directory: string): string => `the disk of ${directory} is full: free some space`;

const badDisk = (directory: string): string =>
  `the disk of ${directory} cannot be read or written: dmesg says more; on another disk, put a backup back with rollcall restore`;

/** SQLite does not always say so. */
function isFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < ROOM;
}

/** For the log of a database and its index. Bytes. */
const ROOM = 256 * 1_024;

/** SQLite says only that it could not open a file. */
function areFilesShort(): boolean {
  const descriptors = readDescriptors();
  return descriptors !== null && descriptors.limit - descriptors.inUse() < OPENED_BY_SQLITE;
}

/** The database, its log and its index. */
const OPENED_BY_SQLITE = 4;

const tooFewFiles = (): string =>
  `this process may have only ${readDescriptors()?.limit ?? "a few"} files open: raise the limit to 1024 or more (LimitNOFILE= of the unit, ulimit -n)`;
