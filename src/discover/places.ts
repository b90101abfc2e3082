// Reads and writes what `rollcall discover` changes: files, each replaced whole or not at all, and crontabs, which only the
// program `crontab` may write.

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "./found.ts";

export interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface Places {
  /** A byte in each character; null: there is none. */
  read(place: Place): string | null;
  /** Null: there is none, or it is a crontab. */
  ownerOf(place: Place): Owner | null;
  /** `owner` null: as files are made here. Throws when it could not be written, and then nothing has changed. */
  write(place: Place, text: string, owner: Owner | null): void;
  /** Removes a file, and its directory if that is empty then. */
  remove(place: Place): void;
}

/** `root`: as of a host. `user`: whose crontab needs no rights to write. */
export function placesAt(root: string, user: string): Places {
  const crontab = (of: string, ...args: string[]): string[] => ["crontab", ...(of === user ? [] : ["-u", of]), ...args];
  const real = ({ path }: { readonly path: string }): string => join(root, path);
  return {
    read: (place) => {
      if (place.kind === "file") return unlessMissing(() => readFileSync(real(place), "latin1"));
      const { exitCode, stdout } = Bun.spawnSync(crontab(place.user, "-l"));
      return exitCode === 0 ? stdout.toString("latin1") : null;
    },
    ownerOf: (place) => {
      if (place.kind === "crontab") return null;
      return unlessMissing(() => {
        const { mode, uid, gid } = statSync(real(place));
        return { mode: mode & 0o7777, uid, gid };
      });
    },
    write: (place, text, owner) => {
      if (place.kind === "file") return writeWhole(real(place), Buffer.from(text, "latin1"), owner);
      const { exitCode, stderr } = Bun.spawnSync(crontab(place.user, "-"), { stdin: Buffer.from(text, "latin1") });
      if (exitCode !== 0)
        throw new Error(`crontab of ${place.user}: ${stderr.toString().trim() || "it was not taken"}`);
    },
    remove: (place) => {
      if (place.kind !== "file") return;
      rmSync(real(place), { force: true });
      try {
        rmdirSync(dirname(real(place)));
      } catch {
        // Something else is in it.
      }
    },
  };
}

/** Neither cron nor systemd reads a name like this. */
const HALF = ".rollcall-half";

/** After a crash either text is there, whole. Makes the directory. */
export function writeWhole(path: string, content: Uint8Array, owner: Owner | null): void {
  mkdirSync(dirname(path), { recursive: true });
  // What a link leads to is replaced, and not the link.
  const target = unlessMissing(() => realpathSync(path)) ?? path;
  const half = join(dirname(target), `${HALF}-${process.pid}`);
  const file = openSync(half, "w", owner?.mode ?? 0o644);
  try {
    for (let done = 0; done < content.length; ) done += writeSync(file, content, done);
    if (owner !== null) {
      fchownSync(file, owner.uid, owner.gid);
      fchmodSync(file, owner.mode);
    }
    fsyncSync(file);
    renameSync(half, target);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  const directory = openSync(dirname(target), "r");
  fsyncSync(directory);
  closeSync(directory);
}

function unlessMissing<Value>(look: () => Value): Value | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}
