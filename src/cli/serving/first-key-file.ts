// The file `first-key` of the data directory: keys and a link that are shown once, each only as long as somebody may
// need it. Each part begins with a sentence of its own; a part goes with its secret, and the file with its last part
// (R2).

import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncDirectory, writeToDisk } from "../../client/files.ts";
import { KEY_PREFIX } from "../../domain/api-key.ts";
import { unlessMissing } from "../../domain/unless-missing.ts";
import { LINK_PATH } from "../../engine/people/links.ts";
import { isOurs } from "../own-user.ts";

const NAME = "first-key";

interface Spent {
  /** Whether a job has reported with it, or it works no more. */
  key(key: string): boolean;
  /** Whether somebody has signed in by it, or it works no more. `token`: its end. */
  link(token: string): boolean;
}

export interface FirstKeyFile {
  /** Puts these lines at its end and answers its path; they are on disk then. */
  add(lines: readonly string[]): string;
  /** Takes out what nobody needs any more. Once a second; it looks at nothing where nothing waits. */
  sweep(): void;
}

const KEY = new RegExp(`${KEY_PREFIX}[\\w-]+`);
const TOKEN = new RegExp(`${LINK_PATH}(\\w+)`);
/** Where a part begins. */
const PART = /^(?=Application "|Open th)/m;

export function createFirstKeyFile(directory: string, spent: Spent): FirstKeyFile {
  const path = join(directory, NAME);
  let parts = partsIn(path);

  /**
   * By a new file that takes the name: what somebody has laid there, such as a link, is neither followed nor written
   * to.
   */
  function put(next: readonly string[]): void {
    if (next.length === 0) rmSync(path, { force: true });
    else {
      const fresh = `${path}.new`;
      rmSync(fresh, { force: true });
      writeToDisk(fresh, next.join(""), "wx");
      renameSync(fresh, path);
    }
    syncDirectory(directory);
    parts = next;
  }

  function isSpent(part: string): boolean {
    const [key] = KEY.exec(part) ?? [];
    if (key !== undefined) return spent.key(key);
    const [, token] = TOKEN.exec(part) ?? [];
    return token !== undefined && spent.link(token);
  }

  function sweep(): void {
    const left = parts.filter((part) => !isSpent(part));
    if (left.length < parts.length) put(left.some((part) => KEY.test(part) || TOKEN.test(part)) ? left : []);
  }

  return {
    add: (lines) => {
      put([...parts, ...`${lines.join("\n")}\n`.split(PART)]);
      return path;
    },
    sweep: () => {
      try {
        sweep();
      } catch {
        // A disk that is full, or a database that cannot be read: tried again in a second.
      }
    },
  };
}

/** None of what is no file of ours. */
function partsIn(path: string): readonly string[] {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number | null;
  try {
    file = unlessMissing(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  } catch {
    return [];
  }
  if (file === null) return [];
  try {
    const facts = fstatSync(file);
    return facts.isFile() && isOurs(facts.uid) ? readFileSync(file, "utf8").split(PART) : [];
  } finally {
    closeSync(file);
  }
}
