// Replaces a file whole or not at all: the new text is written beside it and then takes its name.

import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { unlessMissing } from "../domain/unless-missing.ts";

export interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** When its content changed, in seconds since 1970 as `stat` prints them. */
  readonly changed?: string;
}

/** Neither cron nor systemd reads a name like this. */
const HALF = ".rollcall-half-";

/**
 * After a crash either text is there, whole. Makes the directory. What stands there keeps its access list, its label and its
 * other attributes. `owner` null: as files are made here. `changed` is not put back; see `changedAt`.
 */
export function writeWhole(path: string, content: Uint8Array, owner: Owner | null, changedAt: string | null): void {
  mkdirSync(dirname(path), { recursive: true });
  // What a link leads to is replaced, and not the link.
  const target = unlessMissing(() => realpathSync(path)) ?? path;
  sweepHalves(dirname(target));
  const half = join(dirname(target), `${HALF}${process.pid}`);
  try {
    if (existsSync(target)) cloneFile(target, half);
    fill(half, content, owner);
    if (changedAt !== null) setChanged(half, changedAt);
    renameSync(half, target);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
  const directory = openSync(dirname(target), "r");
  fsyncSync(directory);
  closeSync(directory);
}

function fill(half: string, content: Uint8Array, owner: Owner | null): void {
  const file = openSync(half, "w", owner?.mode ?? 0o644);
  try {
    for (let done = 0; done < content.length; ) done += writeSync(file, content, done);
    if (owner !== null) {
      fchownSync(file, owner.uid, owner.gid);
      fchmodSync(file, owner.mode);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** With everything that a file has beside its content; no call of the runtime's knows access lists and labels. */
function cloneFile(from: string, to: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["cp", "-a", "--", from, to]);
  if (exitCode !== 0) throw new Error(`its rights cannot be kept: ${stderr.toString().trim()}`);
}

/** To the nanosecond where `touch` can. Where it cannot, the file has the time of now, which harms nobody. */
function setChanged(path: string, seconds: string): void {
  Bun.spawnSync(["touch", "-m", "-d", `@${seconds}`, "--", path], { stdout: "ignore", stderr: "ignore" });
}

/** Removes what a call that was killed has left half written there. */
export function sweepHalves(directory: string): void {
  for (const name of unlessMissing(() => readdirSync(directory)) ?? [])
    if (name.startsWith(HALF) && !isRunning(Number(name.slice(HALF.length))))
      rmSync(join(directory, name), { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
