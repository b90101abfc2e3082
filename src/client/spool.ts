// Keeps the reports that could not be sent, each in a file, until a later run or `rollcall run --flush` sends them. A
// file is whole or missing, is readable for this user alone, and is on disk when `keep` returns.

import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { keyWithoutSecret } from "../domain/api-key.ts";
import { HOUR, type Instant } from "../domain/time.ts";
import { orElse, unlessMissing } from "../domain/unless-missing.ts";
import { isReportableMonitor, type Report, type ReportServer } from "./client-report.ts";
import { makeSpoolDirectory, syncSpoolDirectory, writeSpoolFile } from "./spool-files.ts";

/**
 * How many reports are kept at most. Beyond that only a failure is still kept, because failures tell when the trouble
 * began.
 */
const SPOOL_MAX = 1_000;
const FILE = /^\d{15}-[\w-]+\.json$/;
/** The name of an unfinished file, left by a run that was killed while it wrote. */
const UNFINISHED_FILE = /^\.\d{15}-[\w-]+\.json$/;
/** After how many milliseconds an unfinished file is removed. No write takes so long. */
const ABANDONED = HOUR;

export interface KeptReport {
  readonly report: Report;
  /**
   * Removes the report's file. It is no error if another run has done so. If the file cannot be removed, the report is
   * sent again, and the server counts it once.
   */
  remove(): void;
}

export type Spool = ReturnType<typeof openSpool>;

export interface SpoolLosses {
  /** Called with the path of a damaged file, from which no report can be read. */
  readonly onDamaged: (path: string) => void;
  /** Called with a report that was dropped so that a failure could be kept. */
  readonly onDropped: (report: Report) => void;
}

/** Makes the spool for the reports to one server. Its directory is made only when a report must be kept. */
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
      // The next run that reads the spool tries to rename the file again.
      return;
    }
    onDamaged(`${path}.damaged`);
  }

  /**
   * Makes room for a failure by dropping the oldest success that waits, or else the oldest start. Returns false when
   * only failures wait.
   */
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
    /**
     * Keeps a report on disk; returns `null` when the spool is full. It throws the file system's error when the report
     * cannot be written.
     */
    keep: (report: Report): KeptReport | null => {
      if (names(FILE).length >= SPOOL_MAX && !(report.kind === "fail" && makeRoom())) return null;
      makeSpoolDirectory(directory);
      assertOwn(directory);
      for (const unfinished of names(UNFINISHED_FILE))
        removeAbandoned(join(directory, unfinished), report.happened.wall);
      const name = `${String(report.happened.wall).padStart(15, "0")}-${report.idempotencyKey}.json`;
      writeKept(directory, name, { target, report });
      return keptIn(name, report);
    },
    /**
     * The reports that wait for this server and application, oldest first. Damaged files are renamed and given to
     * `onDamaged`.
     */
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
 * Throws when the spool's directory belongs to another user, in a directory that all may write to. That user could have
 * made it first, to read or change our reports.
 */
function assertOwn(directory: string): void {
  const isShared = (fs.statSync(dirname(directory)).mode & STICKY) !== 0;
  if (isShared && fs.lstatSync(directory).uid !== process.getuid?.())
    throw new Error(`${directory} belongs to another user`);
}

const STICKY = 0o1000;

const isContent = (found: KeptContent): found is Content => typeof found === "object";

/** Identifies the server and the application to which a report is to be sent. */
const targetOf = ({ url, key }: ReportServer): string =>
  new Bun.CryptoHasher("sha256")
    .update(`${url}\n${keyWithoutSecret(key)}`)
    .digest("hex")
    .slice(0, 16);

function removeAbandoned(path: string, now: Instant): void {
  const unfinished = unlessMissing(() => fs.statSync(path));
  if (unfinished !== null && unfinished.mtimeMs < now - ABANDONED) removed(path);
}

/** Removes a file, unless the disk is read-only or the directory belongs to another user. */
const removed = (path: string): void => orElse(undefined, () => fs.rmSync(path, { force: true }));

// The following reads and writes one file of the spool. A power cut leaves a file whole or not at all. What is read is
// not trusted.

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
 * Reads a file of this user or of root; throws when it belongs to anyone else, who could otherwise report with our API
 * key. A pipe in the place of the file is not waited for.
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

/** Whether a request can be made from this content. A report that cannot be sent would hold up all behind it. */
function isSound(content: unknown): content is Content {
  if (!isObject(content) || typeof content["target"] !== "string" || !isObject(content["report"])) return false;
  const { monitor, kind, parameters, outcomes, idempotencyKey, happened } = content["report"];
  if (typeof monitor !== "string" || !isReportableMonitor(monitor) || !KINDS.has(kind)) return false;
  if (typeof idempotencyKey !== "string" || !/^[\w-]+$/.test(idempotencyKey)) return false;
  if (!isAll(parameters, (one) => typeof one === "string")) return false;
  if (outcomes !== null && !isAll(outcomes, isOutcome)) return false;
  return isObject(happened) && typeof happened["wall"] === "number" && isUptime(happened);
}

const isUptime = ({ boot, uptime }: Record<string, unknown>): boolean =>
  (boot === null && uptime === null) || (typeof boot === "string" && typeof uptime === "number");

/** Writes a report to disk; leaves no part of the file when that throws. */
function writeKept(directory: string, name: string, content: Content): void {
  const partial = join(directory, `.${name}`);
  try {
    writeSpoolFile(partial, JSON.stringify(content), "wx");
    fs.renameSync(partial, join(directory, name));
  } catch (error) {
    fs.rmSync(partial, { force: true });
    throw error;
  }
  syncSpoolDirectory(directory);
}
