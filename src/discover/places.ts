// Reads and writes what `rollcall discover` changes: files, each replaced whole or not at all, and crontabs, which only
// the program `crontab` may write.

import { existsSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { unlessMissing } from "../domain/unless-missing.ts";
import { isUnclear } from "./crontab.ts";
import { DEBIAN_SPOOL } from "./crontabs.ts";
import type { Place } from "./found.ts";
import { type FileOwner, sweepHalves, writeWhole } from "./whole-file.ts";

export interface Places {
  /** A byte in each character; null: there is none. Throws where it cannot be read. */
  read(place: Place): string | null;
  /** Null: there is none, or it is a crontab. */
  ownerOf(place: Place): FileOwner | null;
  /**
   * `owner` null: as files are made here. `changedAt`: when the text is said to have changed, in seconds since 1970;
   * null: now. Throws when it could not be written, and then nothing has changed.
   */
  write(place: Place, text: string, owner: FileOwner | null, changedAt: string | null): void;
  /** Removes a file, and its directory if that is empty then. */
  remove(place: Place): void;
  /** Removes what a call that was killed has left beside it. */
  sweep(place: Place): void;
}

/** What a user has written must not fill our memory. Bytes. */
const CRONTAB_MAX = 4 * 1_024 * 1_024;

/** `root`: as of a host. `user`: whose crontab needs no rights to write. */
export function placesAt(root: string, user: string): Places {
  const crontab = (of: string, ...args: string[]): string[] => ["crontab", ...(of === user ? [] : ["-u", of]), ...args];
  const real = ({ path }: { readonly path: string }): string => join(root, path);
  return {
    read: (place) => {
      if (place.kind === "file") return unlessMissing(() => readFileSync(real(place), "latin1"));
      const { exitCode, stdout, stderr } = Bun.spawnSync(crontab(place.user, "-l"), { maxBuffer: CRONTAB_MAX });
      if (exitCode === 0) return storedAs(stdout.toString("latin1"), place.user);
      if (stderr.includes("no crontab for")) return null;
      throw new Error(`crontab answers: ${stderr.toString().trim().split("\n")[0]}`);
    },
    ownerOf: (place) => {
      if (place.kind === "crontab") return null;
      return unlessMissing(() => {
        const { mode, uid, gid, mtimeNs } = statSync(real(place), { bigint: true });
        const nanoseconds = String(mtimeNs % 1_000_000_000n).padStart(9, "0");
        const changed = `${mtimeNs / 1_000_000_000n}.${nanoseconds}`;
        return { mode: Number(mode) & 0o7777, uid: Number(uid), gid: Number(gid), changed };
      });
    },
    write: (place, text, owner, changedAt) => {
      if (place.kind === "file") return writeWhole(real(place), Buffer.from(text, "latin1"), owner, changedAt);
      const { exitCode, stderr } = Bun.spawnSync(crontab(place.user, "-"), { stdin: Buffer.from(text, "latin1") });
      if (exitCode !== 0)
        throw new Error(`crontab of ${place.user}: ${stderr.toString().trim() || "it was not taken"}`);
    },
    remove: (place) => {
      if (place.kind !== "file") return;
      if (existsSync(real(place))) rmSync(real(place));
      sweepHalves(dirname(real(place)));
      try {
        rmdirSync(dirname(real(place)));
      } catch {
        // Something else is in it.
      }
    },
    sweep: (place) => {
      if (place.kind === "file") sweepHalves(dirname(real(place)));
    },
  };
}

/**
 * Debian's `crontab -l` leaves out up to three comments at the top, and shows two letters otherwise than they stand
 * there. Who may read the file itself knows better.
 */
function storedAs(shown: string, user: string): string {
  if (!isUnclear(shown)) return shown;
  try {
    const stored = readFileSync(join(DEBIAN_SPOOL, user), "latin1").replace(/^(?:#[^\n]*\n){0,3}/, "");
    return stored.replaceAll("\r", "\\r").replaceAll("\b", "\\b") === shown ? stored : shown;
  } catch {
    return shown;
  }
}
