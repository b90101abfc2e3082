// What a running service takes of its machine, as Linux shows it, and how that grows. Elsewhere it is all 0.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Footprint {
  /** Resident memory in bytes. */
  readonly memory: number;
  readonly descriptors: number;
  /** The database in bytes, and its write-ahead log. */
  readonly database: number;
  readonly log: number;
}

/** `folder`: where the service was started. */
export function footprintOf(pid: number, folder: string): Footprint {
  return {
    memory: memoryOf(pid),
    descriptors: descriptorsOf(pid),
    database: sizeOf(join(folder, "data/rollcall.db")),
    log: sizeOf(join(folder, "data/rollcall.db-wal")),
  };
}

export function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** How much the straight line that fits these best rises from each to the next. */
export function riseOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, _, place) => sum + (place - middle) ** 2, 0);
  if (squares === 0) return 0;
  return values.reduce((sum, value, place) => sum + (place - middle) * (value - mean), 0) / squares;
}

export const inMegabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
