// One run of a job at a time: a file that a run holds locked, and its command with it.

import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "./files.ts";

const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Locks an open file unless another process has; false: another has. The lock ends when nobody has the file open. */
export type LockFile = (file: number) => boolean;

/**
 * The open and locked file; null: the run before still goes on. `names` say whose lock it is: the same on this machine
 * and for this user means the same lock. Throws what the file system throws.
 */
export function lockFor(names: readonly string[], directory: string, lock: LockFile): number | null {
  makeDirectory(directory);
  const name = new Bun.CryptoHasher("sha256").update(names.join("\n")).digest("hex").slice(0, 32);
  const file = openSync(join(directory, `${name}.lock`), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (lock(file)) return file;
  closeSync(file);
  return null;
}
