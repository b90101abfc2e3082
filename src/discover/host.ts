// Reads the files of the machine whose jobs are looked for. Texts have one character for each byte, so that they can be
// written back unchanged.

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

export type MachineFiles = ReturnType<typeof machineFilesAt>;

/** How many bytes a file may have to be read. No crontab and no unit is larger. */
const FILE_MAX = 1_024 * 1_024;
const NAMES_MAX = 5_000;
/**
 * How many bytes are read of all files of one user together, so that a user with many files cannot keep us busy. Files
 * of root and of the user who asks are not counted.
 */
const USER_MAX = 8 * 1_024 * 1_024;
const FILE_LEAST = 4_096;

/**
 * Thrown when a file, a directory or all files of a user are too large to be read. The message is the end of a
 * sentence.
 */
class TooMuch extends Error {}

/** Makes the functions that look at files below `root`: `/`, or another directory in tests. */
export function machineFilesAt(root: string) {
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
    /**
     * The text of a file; "" for what is no regular file, such as /dev/null. `null` when there is none, or we may not
     * read it.
     */
    read: (path: string): string | null => orElse(null, path, (real) => fileText(real, count)),
    /** The names in a directory, sorted. Empty when there is no such directory, or when we may not read it. */
    names: (directory: string): readonly string[] => orElse([], directory, namesIn),
    /** Facts about the file at a path, or about the file to which a link there leads. `null` when there is none. */
    facts: (path: string): FileFacts | null => orElse(null, path, (real) => fileFacts(real)),
    /** The target of a link; `null` when the path is no link. */
    link: (path: string): string | null =>
      orElse(null, path, (real) => (fs.lstatSync(real).isSymbolicLink() ? fs.readlinkSync(real) : null)),
    /** The files that should have been read and were not. `why` is the end of a sentence. */
    unread: () => [...unread].map(([path, why]) => ({ path, why })),
  };
}

/**
 * Returns the text of a regular file, and "" for anything else. Root also reads where users may write: a pipe there
 * would make root wait, and a device would never end.
 */
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

/** Decodes a text that has one character for each byte, as UTF-8, to show it to people. */
export const decodedMachineText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
