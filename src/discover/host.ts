// The machine that is looked at, as files below a root. Texts hold a byte in each character, to be written back alike.

import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf } from "../domain/unless-missing.ts";

export interface FileFacts {
  readonly kind: "file" | "directory" | "other";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly links: number;
}

export type Host = ReturnType<typeof hostAt>;

/** No crontab and no unit is larger. Bytes. */
const FILE_MAX = 1_024 * 1_024;
const NAMES_MAX = 5_000;
/** Of all files of one user, other than root and ourselves, who could keep us reading with many. Bytes. */
const USER_MAX = 8 * 1_024 * 1_024;
const FILE_LEAST = 4_096;

/** It could be read, and is too much. The message ends a sentence. */
class TooMuch extends Error {}

/** The files of this machine below `root`, which is `/` but in tests. What users wrote is read up to a bound. */
export function hostAt(root: string) {
  const unread = new Map<string, string>();
  const readOf = new Map<number, number>();
  function orElse<Value>(otherwise: Value, path: string, look: (real: string) => Value): Value {
    try {
      return look(join(root, path));
    } catch (error) {
      if (["EACCES", "EPERM"].includes(codeOf(error) ?? "")) unread.set(path, "only root may read it");
      if (error instanceof TooMuch) unread.set(path, error.message);
      return otherwise;
    }
  }
  function count(uid: number, size: number): void {
    if (size > FILE_MAX) throw new TooMuch(`it is larger than ${FILE_MAX / 1_024} KiB`);
    if (uid === 0 || uid === process.getuid?.()) return;
    const sum = (readOf.get(uid) ?? 0) + Math.max(size, FILE_LEAST);
    if (sum > USER_MAX) throw new TooMuch(`user ${uid} has too many files for one look`);
    readOf.set(uid, sum);
  }
  return {
    /** Empty for what is no file, such as /dev/null. Null: not there, or we may not read it. */
    read: (path: string): string | null => orElse(null, path, (real) => fileText(real, count)),
    /** Sorted; none if there is no such directory, or we may not read it. */
    names: (directory: string): readonly string[] => orElse([], directory, namesIn),
    /** Follows links; null: not there. */
    facts: (path: string): FileFacts | null => orElse(null, path, (real) => fileFacts(real)),
    /** Where a link leads; null: not a link. */
    link: (path: string): string | null =>
      orElse(null, path, (real) => (fs.lstatSync(real).isSymbolicLink() ? fs.readlinkSync(real) : null)),
    /** What was asked for and not read; `why`: the end of a sentence. */
    unread: () => [...unread].map(([path, why]) => ({ path, why })),
  };
}

/** Root also looks where users write: a pipe there would hold us up, and a device would never end. */
function fileText(path: string, count: (uid: number, size: number) => void): string {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const facts = fs.fstatSync(file);
    if (!facts.isFile()) return "";
    count(facts.uid, facts.size);
    const bytes = Buffer.alloc(facts.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = fs.readSync(file, bytes, length, bytes.length - length, null);
    return bytes.toString("latin1", 0, length);
  } finally {
    fs.closeSync(file);
  }
}

function namesIn(directory: string): readonly string[] {
  const names = fs.readdirSync(directory).sort();
  if (names.length > NAMES_MAX) throw new TooMuch(`it holds more than ${NAMES_MAX} files`);
  return names;
}

function fileFacts(path: string): FileFacts {
  const found = fs.statSync(fs.realpathSync(path));
  const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
  return { kind, mode: found.mode & 0o7777, uid: found.uid, gid: found.gid, links: found.nlink };
}

/** A text of bytes as people read it. */
export const fromLatin1 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
