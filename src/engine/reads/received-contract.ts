// What operators are shown of what came in beside accepted reports, as types: refused reports and bulk syncs.

import type { Instant } from "../../domain/time.ts";
import type { Ping, SyncError, Synced } from "../api.ts";

/** What a bulk sync did (R29). Numbers count all; the lists may be cut short. */
export interface SyncOutcome {
  /** Distinct keys that were sent. */
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly errors: number;
  /** Monitors that it did not name and that were not withdrawn, for an error withheld it. */
  readonly withheld: number;
  /** All but those that are unchanged. */
  readonly changes: readonly Pick<Synced, "key" | "action">[];
  readonly errorList: readonly SyncError[];
  readonly withheldKeys: readonly string[];
}

export interface SyncSummary extends SyncOutcome {
  readonly application: string;
  /** The API key it came with. */
  readonly keyId: number;
  readonly source: string;
  readonly version: string | null;
  /** Whether it was to withdraw what it did not name (R28). */
  readonly authoritative: boolean;
  /** The first and the last of several that were alike and changed nothing. */
  readonly firstAt: Instant;
  readonly at: Instant;
  readonly times: number;
}

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly limit: number;
}

/** Refused reports of one application, monitor and reason (R33). */
export interface RefusedSummary {
  readonly application: string;
  /** Of a monitor that need not exist; empty: none could be read. */
  readonly monitorKey: string;
  /** What the newest reported; null: the request named nothing known. */
  readonly report: Ping["kind"] | null;
  /** The code of the refusal, and the sentence that the newest was answered. */
  readonly error: string;
  readonly reason: string;
  /** The API key the newest came with. */
  readonly keyId: number;
  readonly firstAt: Instant;
  readonly at: Instant;
  readonly times: number;
}

export interface RefusedList {
  /** Newest first. */
  readonly refused: readonly RefusedSummary[];
  /** There are older ones that are not in the list. */
  readonly more: boolean;
}

export interface SyncList {
  /** Newest first. */
  readonly syncs: readonly SyncSummary[];
  /** There are older ones that are not in the list. */
  readonly more: boolean;
}
