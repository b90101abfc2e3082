// Reports that could not be sent, a file each, until a later run or `rollcall run --flush` sends them. A file is whole or
// not there, for this user alone, and on disk when `keep` returns.

import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "./files.ts";
import type { Report, Server } from "./report.ts";

/** Reports kept at most; the oldest are the last to go, because they tell when the trouble began. */
const SPOOL_MAX = 1_000;
const FILE = /^\d{15}-[\w-]+\.json$/;

export interface Kept {
  readonly report: Report;
  /** Nothing to do if somebody else has sent it meanwhile. */
  remove(): void;
}

export interface Spool {
  /** Null: the spool is full. Throws what the file system throws. */
  keep(report: Report): Kept | null;
  /** Oldest first, only those for this server and key. */
  waiting(): readonly Kept[];
  /** How many wait for another server or key. */
  others(): number;
}

interface Content {
  readonly target: string;
  readonly report: Report;
}

/** The directory is made when it is needed. */
export function openSpool(directory: string, server: Server): Spool {
  const target = targetOf(server);

  const names = (): readonly string[] =>
    (unlessMissing(() => readdirSync(directory)) ?? []).filter((name) => FILE.test(name)).sort();

  const keptIn = (name: string, report: Report): Kept => ({
    report,
    remove: () => rmSync(join(directory, name), { force: true }),
  });

  function read(): readonly { readonly name: string; readonly content: Content }[] {
    return names().flatMap((name) => {
      const content = contentOf(join(directory, name));
      return content === null ? [] : [{ name, content }];
    });
  }

  return {
    keep: (report) => {
      if (names().length >= SPOOL_MAX) return null;
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const name = `${String(report.happened.wall).padStart(15, "0")}-${report.idempotencyKey}.json`;
      writeWhole(directory, name, JSON.stringify({ target, report } satisfies Content));
      return keptIn(name, report);
    },
    waiting: () =>
      read().flatMap(({ name, content }) => (content.target === target ? [keptIn(name, content.report)] : [])),
    others: () => read().filter(({ content }) => content.target !== target).length,
  };
}

/** A report never goes to another server than it was meant for, nor into another application; the key is not kept. */
const targetOf = ({ url, key }: Server): string =>
  createHash("sha256").update(`${url}\n${key}`).digest("hex").slice(0, 16);

/** Null: it was sent meanwhile, or it is none of ours. */
function contentOf(path: string): Content | null {
  const text = unlessMissing(() => readFileSync(path, "utf8"));
  if (text === null) return null;
  try {
    const content: Content = JSON.parse(text);
    return typeof content.target === "string" && typeof content.report.monitor === "string" ? content : null;
  } catch {
    return null;
  }
}

function writeWhole(directory: string, name: string, text: string): void {
  const partial = join(directory, `.${name}`);
  const file = openSync(partial, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(partial, join(directory, name));
  const folder = openSync(directory, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
