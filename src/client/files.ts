// What is written to files and directories so that a power cut leaves it.

import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes it, and those above it, for this user alone and so that a power cut leaves them. Throws what the file system
 * throws.
 */
export function makeDirectory(path: string): void {
  const directory = resolve(path);
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
}

/**
 * Its names are on disk when this returns. One that we may not read, or that cannot be told to, is left to the system.
 */
export function syncDirectory(path: string): void {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems of other machines know no such call for a directory.
    if (!(error instanceof Error && "code" in error && error.code === "EINVAL")) throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Its text is on disk when this returns, for this user alone. `flag`: "a" goes on with what is there, "wx" takes
 * nothing that is there, and follows no link that somebody has put there.
 */
export function writeToDisk(path: string, text: string, flag: "a" | "wx"): void {
  const file = openSync(path, flag, 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
