// How many files and connections this process may have open, and how many it has. Decides nothing.

import { readdirSync, readFileSync, statSync } from "node:fs";

export interface Descriptors {
  /** The most there may be at once. */
  readonly limit: number;
  inUse(): number;
}

const OPEN_FILES = "/proc/self/fd";
const LIMIT_LINE = /^Max open files +(\d+)/m;

/** This process's descriptors, from Linux; null when the system does not say, or has no limit. */
export function readDescriptors(): Descriptors | null {
  try {
    const [, limit] = LIMIT_LINE.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? null : { limit: Number(limit), inUse: () => countOpen(Number(limit)) };
  } catch {
    return null;
  }
}

/** Linux 6.2 and later answer without opening anything; before, we must read the folder, which takes a descriptor. */
function countOpen(limit: number): number {
  const { size } = statSync(OPEN_FILES);
  if (size > 0) return size;
  try {
    return readdirSync(OPEN_FILES).length - 1;
  } catch {
    return limit;
  }
}
