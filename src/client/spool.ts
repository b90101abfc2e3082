// Keeps reports that could not be sent, a file for each, until a later run or `rollcall run --flush` sends them. A file
// is whole or missing, readable for this user alone, and on disk when `keep` returns.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { HOUR, type Instant } from "../domain/time.ts";
import { orElse, unlessMissing } from "../domain/unless-missing.ts";
import { isAddressable, type Report, type ReportServer } from "./client-report.ts";
import { makeDirectory, syncDirectory, writeToDisk } from "./spool-files.ts";

/** How many reports are kept. The oldest failures are dropped last, because they tell when the trouble began. */
const SPOOL_MAX = 1_000;
const FILE = /^\d{15}-[\w-]+\.json$/;
/** Matches the name of a file that was left by a run which was killed while it wrote. */
const HALF = /^\.\d{15}-[\w-]+\.json$/;
/** After how many milliseconds an unfinished file is abandoned, because no write takes so long. */
const ABANDONED = HOUR;

export interface KeptReport {
  readonly report: Report;
  /**
   * Another run may have sent the report meanwhile. If the file cannot be removed, the report is sent again, and counts
   * once.
   */
  remove(): void;
}

export type Spool = ReturnType<typeof openSpool>;

export interface SpoolLosses {
  /** Called with the path of a file that no longer holds a report. */
  readonly onDamaged: (path: string) => void;
  /** Called with a report that was dropped to make room for a failure. */
  readonly onDropped: (report: Report) => void;
}

/** Opens the spool. Its directory is made when it is needed. */
export function openSpool(directory: string, server: ReportServer, { onDamaged, onDropped }: SpoolLosses) {
  const target = targetOf(server);

  const names = (pattern: RegExp): readonly string[] =>
    (unlessMissing(() => fs.readdirSync(directory)) ?? []).filter((name) => pattern.test(name)).sort();

  const keptIn = (name: string, report: Report): KeptReport => ({
    report,
    remove: () => removed(join(directory, name)),
  });

  function* read(): Iterable<{ readonly name: string; readonly found: KeptContent }> {
    for (const name of names(FILE)) yield { name, found: readKept(join(directory, name)) };
  }

  function putAside(name: string): void {
    const path = join(directory, name);
    try {
      fs.renameSync(path, `${path}.damaged`);
    } catch {
      // The next reader tries again.
      return;
    }
    onDamaged(`${path}.damaged`);
  }

  /** Makes room for a failure: it drops the oldest success that waits, or else the oldest start. */
  function makeRoom(): boolean {
    const all = [...read()].flatMap(({ name, found }) => (isContent(found) ? [{ name, report: found.report }] : []));
    const least =
      all.find(({ report }) => report.kind === "complete") ?? all.find(({ report }) => report.kind === "start");
    if (least === undefined) return false;
    removed(join(directory, least.name));
    onDropped(least.report);
    return true;
  }

  return {
    /** Keeps a report; `null` when the spool is full. It throws what the file system throws. */
    keep: (report: Report): KeptReport | null => {
      if (names(FILE).length >= SPOOL_MAX && !(report.kind === "fail" && makeRoom())) return null;
      makeDirectory(directory);
      assertOwn(directory);
      for (const half of names(HALF)) removeAbandoned(join(directory, half), report.happened.wall);
      const name = `${String(report.happened.wall).padStart(15, "0")}-${report.idempotencyKey}.json`;
      writeKept(directory, name, { target, report });
      return keptIn(name, report);
    },
    /** The reports for this server and application, oldest first. Damaged files are put aside, which is reported. */
    waiting: (): readonly KeptReport[] => {
      const ours: KeptReport[] = [];
      for (const { name, found } of read()) {
        if (found === "damaged") putAside(name);
        else if (isContent(found) && found.target === target) ours.push(keptIn(name, found.report));
      }
      return ours;
    },
    others: () => {
      const all = [...read()].map(({ found }) => found);
      return {
        elsewhere: all.filter((found) => isContent(found) && found.target !== target).length,
        unreadable: all.filter((found) => found === "unreadable").length,
      };
    },
  };
}

/**
 * Throws unless the directory is ours: in a directory that all may write to, another user may have made it first, to
 * read or change the reports there.
 */
function assertOwn(directory: string): void {
  const isShared = (fs.statSync(dirname(directory)).mode & STICKY) !== 0;
  if (isShared && fs.lstatSync(directory).uid !== process.getuid?.())
    throw new Error(`${directory} belongs to another user`);
}

const STICKY = 0o1000;

const isContent = (found: KeptContent): found is Content => typeof found === "object";

/**
 * Identifies server and application, because a report goes to no other. It stays the same with a new key of the
 * application, and does not contain the secret.
 */
const targetOf = ({ url, key }: ReportServer): string =>
  new Bun.CryptoHasher("sha256")
    .update(`${url}\n${withoutSecret(key)}`)
    .digest("hex")
    .slice(0, 16);

/** The key without its secret. What is left names the application, and stays the same when the key is replaced. */
export const withoutSecret = (key: string): string => key.slice(0, key.lastIndexOf("_"));

function removeAbandoned(path: string, now: Instant): void {
  const half = unlessMissing(() => fs.statSync(path));
  if (half !== null && half.mtimeMs < now - ABANDONED) removed(path);
}

/** Removes a file, if it can: the disk may be read-only, or the directory may belong to another user. */
const removed = (path: string): void => orElse(undefined, () => fs.rmSync(path, { force: true }));

// One file of the spool: it is read as carefully as a stranger's text, and written so that a power cut leaves it whole
// or not at all.

export type Content = Readonly<{ target: string; report: Report }>;

export type KeptContent = Content | "missing" | "damaged" | "unreadable";

function readKept(path: string): KeptContent {
  const read = orElse("unreadable" as const, () => ({ text: unlessMissing(() => ownText(path)) }));
  if (read === "unreadable") return read;
  const { text } = read;
  if (text === null) return "missing";
  const content: unknown = orElse(null, () => JSON.parse(text));
  return isSound(content) ? content : "damaged";
}

/**
 * Reads a file of ours. Throws for a file of another user, who could otherwise report under our key. A pipe in the
 * file's place must not make us wait.
 */
function ownText(path: string): string {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    const facts = fs.fstatSync(file);
    if (!facts.isFile()) throw new Error("it is no file");
    if (facts.uid !== 0 && facts.uid !== process.getuid?.()) throw new Error("it is of another user");
    return fs.readFileSync(file, "utf8");
  } finally {
    fs.closeSync(file);
  }
}

const KINDS: ReadonlySet<unknown> = new Set(["start", "complete", "fail"] satisfies Report["kind"][]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAll = (value: unknown, check: (one: unknown) => boolean): boolean =>
  isObject(value) && Object.values(value).every(check);

const isOutcome = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean";

/** Whether a request can be made from the content: a report that cannot be sent would delay all reports behind it. */
function isSound(content: unknown): content is Content {
  if (!isObject(content) || typeof content["target"] !== "string" || !isObject(content["report"])) return false;
  const { monitor, kind, parameters, outcomes, idempotencyKey, happened } = content["report"];
  if (typeof monitor !== "string" || !isAddressable(monitor) || !KINDS.has(kind)) return false;
  if (typeof idempotencyKey !== "string" || !/^[\w-]+$/.test(idempotencyKey)) return false;
  if (!isAll(parameters, (one) => typeof one === "string")) return false;
  if (outcomes !== null && !isAll(outcomes, isOutcome)) return false;
  return isObject(happened) && typeof happened["wall"] === "number" && isUptime(happened);
}

const isUptime = ({ boot, uptime }: Record<string, unknown>): boolean =>
  (boot === null && uptime === null) || (typeof boot === "string" && typeof uptime === "number");

/** Writes a report to disk. When it throws what the file system throws, no part of the file is left. */
function writeKept(directory: string, name: string, content: Content): void {
  const partial = join(directory, `.${name}`);
  try {
    writeToDisk(partial, JSON.stringify(content), "wx");
    fs.renameSync(partial, join(directory, name));
  } catch (error) {
    fs.rmSync(partial, { force: true });
    throw error;
  }
  syncDirectory(directory);
}
