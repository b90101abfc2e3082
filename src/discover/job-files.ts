// Reads and writes what `rollcall discover` changes: files, and users' crontabs, by the program `crontab`.

import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, orElse, unlessMissing } from "../domain/unless-missing.ts";
import { isUnclearCrontab } from "./crontab.ts";
import { DEBIAN_SPOOL } from "./crontabs.ts";
import type { Place } from "./found.ts";

export type Places = ReturnType<typeof placesAt>;

/** How many bytes a crontab may have, because a user's text must not fill our memory. */
const CRONTAB_MAX = 4 * 1_024 * 1_024;

/** Makes the functions that read and write files below `root`, and crontabs. `user` is the user who asks. */
export function placesAt(root: string, user: string) {
  const crontab = (of: string, ...args: string[]): string[] => ["crontab", ...(of === user ? [] : ["-u", of]), ...args];
  const real = ({ path }: { readonly path: string }): string => join(root, path);
  return {
    /**
     * Reads a file or crontab, with one character for each byte; `null` when there is none. Throws when it cannot be
     * read.
     */
    read: (place: Place): string | null => {
      if (place.kind === "file") return unlessMissing(() => fs.readFileSync(real(place), "latin1"));
      const { exitCode, stdout, stderr } = Bun.spawnSync(crontab(place.user, "-l"), { maxBuffer: CRONTAB_MAX });
      if (exitCode === 0) return storedAs(stdout.toString("latin1"), place.user);
      if (stderr.includes("no crontab for")) return null;
      throw new Error(`crontab answers: ${stderr.toString().trim().split("\n")[0]}`);
    },
    /** The owner and mode of a file; `null` when there is no file, or when the place is a crontab. */
    ownerOf: (place: Place): FileOwner | null => {
      if (place.kind === "crontab") return null;
      return unlessMissing(() => {
        const { mode, uid, gid, mtimeNs } = fs.statSync(real(place), { bigint: true });
        const nanoseconds = String(mtimeNs % 1_000_000_000n).padStart(9, "0");
        const changed = `${mtimeNs / 1_000_000_000n}.${nanoseconds}`;
        return { mode: Number(mode) & 0o7777, uid: Number(uid), gid: Number(gid), changed };
      });
    },
    /**
     * Writes a file by `replaceJobFile`, or a crontab by the program `crontab`, which uses neither `owner` nor
     * `changedAt`. It throws when that fails; the file or crontab is then unchanged.
     */
    write: (place: Place, text: string, owner: FileOwner | null, changedAt: string | null): void => {
      if (place.kind === "file") return replaceJobFile(real(place), Buffer.from(text, "latin1"), owner, changedAt);
      const { exitCode, stderr } = Bun.spawnSync(crontab(place.user, "-"), { stdin: Buffer.from(text, "latin1") });
      if (exitCode !== 0)
        throw new Error(`crontab of ${place.user}: ${stderr.toString().trim() || "it was not taken"}`);
    },
    remove: (place: Place): void => {
      if (place.kind !== "file") return;
      if (fs.existsSync(real(place))) fs.rmSync(real(place));
      sweepUnfinishedJobFiles(dirname(real(place)));
      // If other files are in the directory, it cannot be removed and stays.
      orElse(undefined, () => fs.rmdirSync(dirname(real(place))));
    },
    /** Removes unfinished files beside the file, which are left when a process is killed while it writes. */
    sweep: (place: Place): void => {
      if (place.kind === "file") sweepUnfinishedJobFiles(dirname(real(place)));
    },
  };
}

/**
 * Returns the text of a crontab as it is stored. Debian's `crontab -l` prints a carriage return or a backspace as two
 * letters. So the file itself is read, if that is possible, without the comments that `crontab -l` leaves out.
 */
function storedAs(shown: string, user: string): string {
  if (!isUnclearCrontab(shown)) return shown;
  const file = orElse(shown, () => fs.readFileSync(join(DEBIAN_SPOOL, user), "latin1"));
  const stored = file.replace(/^(?:#[^\n]*\n){0,3}/, "");
  return stored.replaceAll("\r", "\\r").replaceAll("\b", "\\b") === shown ? stored : shown;
}

// The following replaces a file whole or not at all: the new text goes to another file, which then takes the name.

export interface FileOwner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** When the content of the file was last changed, in seconds since 1970, with the fraction that `stat` prints. */
  readonly changed?: string;
}

/**
 * The beginning of the name of the directory in which a new text is written first. The number of the process and random
 * letters follow. Neither cron nor systemd reads files there.
 */
const UNFINISHED_PREFIX = ".rollcall-half-";

/**
 * Replaces the content of the file at `path`, or makes the file and its directories. After a crash the file has either
 * the old or the new content, complete. `owner` sets owner and mode; `null` keeps those of an existing file. Other
 * attributes, such as its access list, stay. `changedAt` becomes the modification time, in seconds since 1970; `null`
 * means now.
 */
export function replaceJobFile(
  path: string,
  content: Uint8Array,
  owner: FileOwner | null,
  changedAt: string | null,
): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  // If the path is a link, the file to which it leads is replaced, and not the link.
  const target = unlessMissing(() => fs.realpathSync(path)) ?? join(fs.realpathSync(dirname(path)), basename(path));
  sweepUnfinishedJobFiles(dirname(target));
  const directory = fs.openSync(
    dirname(target),
    fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW,
  );
  try {
    replace(placeIn(directory, dirname(target)), basename(target), content, owner, changedAt);
    fs.fsyncSync(directory);
  } finally {
    fs.closeSync(directory);
  }
}

/** A path to an open file that stays right even if a directory above it is replaced. Without /proc, the usual path. */
const openPath = (file: number, path: string): string =>
  fs.existsSync("/proc/self/fd") ? `/proc/self/fd/${file}` : path;

function placeIn(directory: number, path: string): string {
  const open = openPath(directory, path);
  if (open !== path && fs.readlinkSync(open) !== path) throw new Error(`${path} was moved at this moment`);
  return open;
}

type Open = Readonly<{ file: number; path: string }>;

/**
 * Replaces the file `name` in `directory`. The new text is first written in another directory, to which only we may
 * write. Otherwise users who may write beside the file could put a link in its place.
 */
function replace(
  directory: string,
  name: string,
  content: Uint8Array,
  owner: FileOwner | null,
  changedAt: string | null,
): void {
  const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const folder = fs.mkdtempSync(join(directory, `${UNFINISHED_PREFIX}${process.pid}-`));
  try {
    const half = join(folder, name);
    const file = fs.openSync(half, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, owner === null ? 0o644 : 0o600);
    try {
      const path = join(directory, name);
      const before = unlessMissing(() => fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
      if (before !== null) cloneFile({ file: before, path }, { file, path: half });
      fill(file, content, owner);
      if (changedAt !== null) setChanged({ file, path: half }, changedAt);
      fs.renameSync(half, path);
    } finally {
      fs.closeSync(file);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function fill(file: number, content: Uint8Array, owner: FileOwner | null): void {
  fs.ftruncateSync(file);
  for (let done = 0; done < content.length; ) done += fs.writeSync(file, content, done, content.length - done, done);
  if (owner !== null) {
    fs.fchownSync(file, owner.uid, owner.gid);
    fs.fchmodSync(file, owner.mode);
  }
  fs.fsyncSync(file);
}

/** Copies a file with all its attributes, by the program `cp`: Bun has no call for access lists and labels. */
function cloneFile(from: Open, to: Open): void {
  try {
    const { exitCode, stderr } = Bun.spawnSync(["cp", "-aL", "--", openPath(0, from.path), openPath(1, to.path)], {
      stdin: from.file,
      stdout: to.file,
      stderr: "pipe",
    });
    if (exitCode !== 0) throw new Error(`its rights cannot be kept: ${stderr.toString().trim()}`);
  } finally {
    fs.closeSync(from.file);
  }
}

/**
 * Sets the modification time to the nanosecond, by the program `touch`. If that fails, the file has the present time,
 * which does no harm.
 */
function setChanged({ file, path }: Open, seconds: string): void {
  const options = { stdin: file, stdout: "ignore", stderr: "ignore" } as const;
  Bun.spawnSync(["touch", "-m", "-d", `@${seconds}`, "--", openPath(0, path)], options);
}

export function sweepUnfinishedJobFiles(directory: string): void {
  for (const name of unlessMissing(() => fs.readdirSync(directory)) ?? [])
    if (name.startsWith(UNFINISHED_PREFIX) && !isRunning(Number.parseInt(name.slice(UNFINISHED_PREFIX.length), 10)))
      fs.rmSync(join(directory, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
