// What an operator can do about a service that does not start: a sentence for each fault that a machine commonly has.

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { keptIn } from "../backup/folder.ts";
import type { Config } from "../config/config.ts";
import { backupsDirectory } from "./backups.ts";
import { ownUser } from "./own-user.ts";

/** Null: we know none, and the error has to do. */
export function remedyOf(error: unknown, { server, storage: { directory } }: Config): string | null {
  const address = `${server.host}:${server.port}`;
  switch (faultOf(error, address)) {
    case "EADDRINUSE":
      return `another program listens on ${address}: stop it (ss -ltnp names it), or set server.listen to another port`;
    case "EADDRNOTAVAIL":
      return `this machine has no address ${server.host}: set server.listen to one that it has`;
    case "PORT":
      return `only root may listen on port ${server.port}: set server.listen to one above 1023, and let a proxy take ${server.port}`;
    case "EROFS":
      return `${directory} is on a file system that cannot be written: mount it for writing, or set storage.directory`;
    case "ENOSPC":
    case "SQLITE_FULL":
      return `the disk of ${directory} is full: free some space`;
    case "EEXIST":
    case "ENOTDIR":
      return `${directory} is, or lies below, a file: set storage.directory to a directory`;
    case "EACCES":
    case "EPERM":
    case "SQLITE_READONLY":
    case "SQLITE_CANTOPEN":
      return rightsTo(directory);
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
    case "DAMAGED":
      return backupFor(directory);
    default:
      return null;
  }
}

/** The code of the error or of what caused it; `PORT` and `DAMAGED` where only its words tell. */
function faultOf(error: unknown, address: string): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === `permission denied ${address}`) return "PORT";
  if (error.message.includes("is not a database")) return "DAMAGED";
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return code ?? faultOf(error.cause, address);
}

function rightsTo(directory: string): string {
  const user = ownUser() ?? String(process.getuid?.());
  const { path, uid } = nearest(directory);
  if (uid === process.getuid?.()) return `${user} may not write to ${path} or to a file in it: chmod -R u+rwX ${path}`;
  return `rollcall runs as ${user}, and ${path} or a file in it is not that user's: chown -R ${user} ${path}, or set storage.directory`;
}

/** The path, or the nearest above it that exists, with its owner. */
function nearest(path: string): { readonly path: string; readonly uid: number } {
  try {
    return { path, uid: statSync(path).uid };
  } catch {
    return nearest(dirname(path));
  }
}

function backupFor(directory: string): string {
  const [newest] = keptIn(backupsDirectory(directory));
  return newest === undefined
    ? `there is no backup in ${backupsDirectory(directory)}: put one back with rollcall restore FILE, or move the database away to begin anew`
    : `put the newest backup back: rollcall restore ${newest.file}`;
}
