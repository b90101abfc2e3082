// One file of the spool: what stands in it, read as carefully as what a stranger wrote, and written so that a power cut
// leaves it whole or not at all.

import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../domain/unless-missing.ts";
import { syncDirectory, writeToDisk } from "./files.ts";
import { isAddressable, type Report } from "./report.ts";

export interface Content {
  /** Whom it is meant for, as the spool names it. */
  readonly target: string;
  readonly report: Report;
}

/** `missing`: somebody else has sent it meanwhile. `unreadable`: it may be whole, and is not ours to read. */
export type KeptContent = Content | "missing" | "damaged" | "unreadable";

export function readKept(path: string): KeptContent {
  let text: string | null;
  try {
    text = unlessMissing(() => ownText(path));
  } catch {
    return "unreadable";
  }
  if (text === null) return "missing";
  try {
    const content: unknown = JSON.parse(text);
    return isContent(content) ? content : "damaged";
  } catch {
    return "damaged";
  }
}

/**
 * Throws for a file of another user, but root: where others may write, anybody could report under our key. A pipe that
 * lies there must not hold us up.
 */
function ownText(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new Error("it is no file");
    if (facts.uid !== 0 && facts.uid !== process.getuid?.()) throw new Error("it is of another user");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

const KINDS: ReadonlySet<unknown> = new Set(["start", "complete", "fail"] satisfies Report["kind"][]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAll = (value: unknown, check: (one: unknown) => boolean): boolean =>
  isObject(value) && Object.values(value).every(check);

const isOutcome = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean";

/** Whether a request can be made of it: one that cannot would hold up all behind it. */
function isContent(content: unknown): content is Content {
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

/** On disk when it returns; nothing is left of it when it throws what the file system throws. */
export function writeKept(directory: string, name: string, content: Content): void {
  const partial = join(directory, `.${name}`);
  try {
    writeToDisk(partial, JSON.stringify(content), "wx");
    renameSync(partial, join(directory, name));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  syncDirectory(directory);
}
