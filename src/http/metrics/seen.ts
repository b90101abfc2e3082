// What one scrape shows, as plain data: gathered once, so that all metrics of a scrape are of one moment.

import type { RefusalCode } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { SelfPingHealth } from "../../engine/api.ts";
import type { Measures } from "../../engine/health/measures.ts";
import type { MeasuresRead } from "../../views/measures.ts";

export interface Seen {
  readonly engine: Measures;
  readonly reading: MeasuresRead;
  readonly isReady: boolean;
  /** Since the start, by code. */
  readonly refusals: Readonly<Record<RefusalCode, number>>;
  /** Since the start, by destination and by how the attempts ended. */
  readonly endings: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** Null: no other monitor is told of us. */
  readonly selfPing: SelfPingHealth | null;
  readonly machine: SeenMachine;
}

/** The process, and where its files are. */
export interface SeenMachine {
  readonly version: string;
  readonly startedAt: Instant;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Null: the system does not say. */
  readonly descriptors: { readonly inUse: number; readonly limit: number } | null;
  /** Connections, for want of descriptors, since the start. */
  readonly closed: number;
  /** On the disk of the database; null: the system does not say. */
  readonly availableBytes: number | null;
  /** Of the newest; null: there is none. */
  readonly backupAt: Instant | null;
}
