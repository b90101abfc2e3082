// What the client asks of files and directories.

import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** What `read` answers; null if the file or a directory above it is missing. Throws everything else. */
export function unlessMissing<Found>(read: () => Found): Found | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}

/** Makes it, and those above it, for this user alone and so that a power cut leaves them. Throws what the file system throws. */
export function makeDirectory(path: string): void {
  const directory = resolve(path);
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
}

/** Its names are on disk when this returns. One that we may not read is left to the system. */
export function syncDirectory(path: string): void {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
