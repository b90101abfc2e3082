// What a running service takes of its machine, as Linux shows it, and how that grows. Elsewhere it is all 0.

import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Footprint {
  /** Resident memory in bytes. */
  readonly memory: number;
  /** Without those of connections. */
  readonly descriptors: number;
  /** Of clients. */
  readonly connections: number;
  /** The database in bytes, and its write-ahead log. */
  readonly database: number;
  readonly log: number;
}

/** `port`: where it listens; `folder`: where it was started. */
export function footprintOf(pid: number, port: number, folder: string): Footprint {
  const connections = connectionsOf(pid, port);
  return {
    memory: memoryOf(pid),
    descriptors: filesOf(pid).length - connections,
    connections,
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

/** How many connections its clients have to this port. */
function connectionsOf(pid: number, port: number): number {
  const sockets = new Set(["tcp", "tcp6"].flatMap((table) => socketsIn(`/proc/net/${table}`, port)));
  return filesOf(pid).filter((file) => sockets.has(file)).length;
}

/** What its descriptors stand for. */
function filesOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((descriptor) => readLink(join(folder, descriptor)) ?? []);
  } catch {
    return [];
  }
}

/** Null: it has been closed meanwhile. */
function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

const LISTENS = "0A";

/** Those of this port that do not listen, as descriptors name them. */
function socketsIn(table: string, port: number): string[] {
  try {
    const lines = readFileSync(table, "utf8").trim().split("\n").slice(1);
    const fields = lines.map((line) => line.trim().split(/\s+/));
    return fields
      .filter(([, local = "", , state]) => Number.parseInt(local.split(":")[1] ?? "", 16) === port && state !== LISTENS)
      .map((values) => `socket:[${values[9]}]`);
  } catch {
    return [];
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
