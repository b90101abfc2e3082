// Replaces a file whole or not at all: the new text is written beside it and then takes its name.

import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { unlessMissing } from "../domain/unless-missing.ts";

export interface FileOwner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** When its content changed, in seconds since 1970 as `stat` prints them. */
  readonly changed?: string;
}

/**
 * Neither cron nor systemd reads a name that begins so. The number of the process follows, and then letters by chance.
 */
const HALF = ".rollcall-half-";

/**
 * After a crash either text is there, whole. Makes the directory. What stands there keeps its access list, its label
 * and its other attributes. `owner` null: as files are made here. `changed` is not put back; see `changedAt`.
 */
export function writeWhole(path: string, content: Uint8Array, owner: FileOwner | null, changedAt: string | null): void {
  mkdirSync(dirname(path), { recursive: true });
  // What a link leads to is replaced, and not the link.
  const target = unlessMissing(() => realpathSync(path)) ?? join(realpathSync(dirname(path)), basename(path));
  sweepHalves(dirname(target));
  const directory = openSync(dirname(target), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    replace(placeIn(directory, dirname(target)), basename(target), content, owner, changedAt);
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/**
 * A path to what a process has open, which whoever may write above the file's own path can lead nowhere else. Without
 * /proc it is that path.
 */
const openPath = (file: number, path: string): string => (existsSync("/proc/self/fd") ? `/proc/self/fd/${file}` : path);

function placeIn(directory: number, path: string): string {
  const open = openPath(directory, path);
  if (open !== path && readlinkSync(open) !== path) throw new Error(`${path} was moved at this moment`);
  return open;
}

interface Open {
  readonly file: number;
  readonly path: string;
}

/** The new text is written in a directory of ours: others who may write beside it can lay no link in its way. */
function replace(
  directory: string,
  name: string,
  content: Uint8Array,
  owner: FileOwner | null,
  changedAt: string | null,
): void {
  const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
  const folder = mkdtempSync(join(directory, `${HALF}${process.pid}-`));
  try {
    const half = join(folder, name);
    const file = openSync(half, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, owner === null ? 0o644 : 0o600);
    try {
      const path = join(directory, name);
      const before = unlessMissing(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
      if (before !== null) cloneFile({ file: before, path }, { file, path: half });
      fill(file, content, owner);
      if (changedAt !== null) setChanged({ file, path: half }, changedAt);
      renameSync(half, path);
    } finally {
      closeSync(file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(file: number, content: Uint8Array, owner: FileOwner | null): void {
  ftruncateSync(file);
  for (let done = 0; done < content.length; ) done += writeSync(file, content, done, content.length - done, done);
  if (owner !== null) {
    fchownSync(file, owner.uid, owner.gid);
    fchmodSync(file, owner.mode);
  }
  fsyncSync(file);
}

/** With everything that a file has beside its content; no call of the runtime's knows access lists and labels. */
function cloneFile(from: Open, to: Open): void {
  try {
    const { exitCode, stderr } = Bun.spawnSync(["cp", "-aL", "--", openPath(0, from.path), openPath(1, to.path)], {
      stdin: from.file,
      stdout: to.file,
      stderr: "pipe",
    });
    if (exitCode !== 0) throw new Error(`its rights cannot be kept: ${stderr.toString().trim()}`);
  } finally {
    closeSync(from.file);
  }
}

/** To the nanosecond where `touch` can. Where it cannot, the file has the time of now, which harms nobody. */
function setChanged({ file, path }: Open, seconds: string): void {
  const options = { stdin: file, stdout: "ignore", stderr: "ignore" } as const;
  Bun.spawnSync(["touch", "-m", "-d", `@${seconds}`, "--", openPath(0, path)], options);
}

/** Removes what a call that was killed has left half written there. */
export function sweepHalves(directory: string): void {
  for (const name of unlessMissing(() => readdirSync(directory)) ?? [])
    if (name.startsWith(HALF) && !isRunning(Number.parseInt(name.slice(HALF.length), 10)))
      rmSync(join(directory, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
