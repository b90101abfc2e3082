// Files that a power cut leaves whole, and the file that a run and its command keep locked, so that only one run goes
// on at a time.

import { closeSync, constants, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf, orElse } from "../domain/unless-missing.ts";

/** Makes the directory, and those above it, for this user alone and on disk. It throws what the file system throws. */
export function makeDirectory(path: string): void {
  const directory = resolve(path);
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
}

/** Writes the directory's names to disk. A directory that we may not read is left to the system. */
export function syncDirectory(path: string): void {
  const file = orElse(null, () => openSync(path, "r"));
  if (file === null) return;
  try {
    fsyncSync(file);
  } catch (error) {
    // Some network file systems have no such call for a directory.
    if (codeOf(error) !== "EINVAL") throw error;
  } finally {
    closeSync(file);
  }
}

/** Writes a text to disk, for this user alone. `flag` "a" appends; "wx" fails when there is a file or a link. */
export function writeToDisk(path: string, text: string, flag: "a" | "wx"): void {
  const file = openSync(path, flag, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Locks an open file; false when another process has locked it. The lock ends when no process has the file open. */
export type LockFile = (file: number) => boolean;

/**
 * Returns the open and locked file, or `null` when the run before still goes on. `names` identify the lock: the same
 * names on this machine and for this user mean the same lock. It throws what the file system throws.
 */
export function lockFor(names: readonly string[], directory: string, lock: LockFile): number | null {
  makeDirectory(directory);
  const name = new Bun.CryptoHasher("sha256").update(names.join("\n")).digest("hex").slice(0, 32);
  const file = openSync(join(directory, `${name}.lock`), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (lock(file)) return file;
  closeSync(file);
  return null;
}
