// The machine that is looked at, as files below a root. Texts hold a byte in each character, so that what is written back
// is what was read; `decoded` is for people and for the server.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

export interface FileFacts {
  readonly kind: "file" | "directory" | "other";
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Hard links to it. */
  readonly links: number;
}

export interface Host {
  /** Empty for what is no file, such as /dev/null. Null: there is none, or we may not read it. */
  read(path: string): string | null;
  /** Sorted; none if there is no such directory, or we may not read it. */
  names(directory: string): readonly string[];
  /** Follows links; null: there is none. */
  facts(path: string): FileFacts | null;
  /** Where a link leads; null: it is none. */
  link(path: string): string | null;
  /** What was asked for and we may not read. */
  denied(): readonly string[];
}

/** The files of this machine below `root`, which is `/` but for a system that is mounted elsewhere. */
export function hostAt(root: string): Host {
  const denied = new Set<string>();
  function orElse<Value>(otherwise: Value, path: string, look: (real: string) => Value): Value {
    try {
      return look(join(root, path));
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : null;
      if (code === "EACCES" || code === "EPERM") denied.add(path);
      return otherwise;
    }
  }
  return {
    read: (path) => orElse(null, path, textOf),
    names: (directory) => orElse([], directory, (real) => readdirSync(real).sort()),
    facts: (path) => orElse(null, path, (real) => factsOf(real)),
    link: (path) => orElse(null, path, (real) => (lstatSync(real).isSymbolicLink() ? readlinkSync(real) : null)),
    denied: () => [...denied],
  };
}

/** Root also looks where users write: a pipe that somebody has put there would hold us up, and a device would never end. */
function textOf(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return fstatSync(file).isFile() ? readFileSync(file, "latin1") : "";
  } finally {
    closeSync(file);
  }
}

function factsOf(path: string): FileFacts {
  const found = statSync(realpathSync(path));
  const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
  return { kind, mode: found.mode & 0o7777, uid: found.uid, gid: found.gid, links: found.nlink };
}

/** A text of bytes as people read it. */
export const decoded = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
