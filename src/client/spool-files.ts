// Writes files so that they survive a power cut, and locks the file by which only one run of a job goes on at a time.

import { closeSync, constants, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf, orElse } from "../domain/unless-missing.ts";

/** Makes a directory and those above it, readable for this user alone, and puts them on disk. */
export function makeSpoolDirectory(path: string): void {
  const directory = resolve(path);
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) syncSpoolDirectory(dirname(made));
}

/**
 * Makes sure that the new and removed names of a directory are on disk (fsync). If we may not read the directory, the
 * system writes them later by itself.
 */
export function syncSpoolDirectory(path: string): void {
  const file = orElse(null, () => openSync(path, "r"));
  if (file === null) return;
  try {
    fsyncSync(file);
  } catch (error) {
    // Some network file systems do not support `fsync` for a directory.
    if (codeOf(error) !== "EINVAL") throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Writes a text to disk, in a file that only this user may read. With the flag "wx" it fails when a file or link is
 * there already.
 */
export function writeSpoolFile(path: string, text: string, flag: "a" | "wx"): void {
  const file = openSync(path, flag, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Locks an open file; returns false when another process has locked it. The lock ends when no process has the file
 * open.
 */
export type LockFile = (file: number) => boolean;

/**
 * Returns the number of the open and locked file; `null` when an earlier run has locked it. The same `names` mean the
 * same lock on this machine for this user.
 */
export function lockFor(names: readonly string[], directory: string, lock: LockFile): number | null {
  makeSpoolDirectory(directory);
  const name = new Bun.CryptoHasher("sha256").update(names.join("\n")).digest("hex").slice(0, 32);
  const file = openSync(join(directory, `${name}.lock`), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (lock(file)) return file;
  closeSync(file);
  return null;
}
