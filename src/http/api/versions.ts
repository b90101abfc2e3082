// What the versions of the contract say differently, side by side: where they live, who may come in and how, which
// schedules and messages they take, how many requests, and how a receipt reads as JSON. A version is a row; no other
// file may ask which version it serves.

import type { RateLimit } from "../../domain/rate-limit.ts";
import type { Dialect } from "../../domain/schedule/schedule.ts";
import { HOUR, MINUTE } from "../../domain/time.ts";
import type { SyncReport } from "../../engine/api.ts";
import type { Shape } from "../shapes.ts";
import { failed, failureRecorded, RECEIPTS, type Receipts } from "./receipts.ts";
import type { Scheme } from "./schemes.ts";
import { syncedInFull, syncedInShort } from "./sync-answers.ts";

/** How many requests a key may send, as the configuration says; 0: as many as it likes (R33). */
export interface Limits {
  readonly v1PerMinute: number;
  readonly v1PerHour: number;
  readonly aliasPerMinute: number;
  readonly syncPerMinute: number;
}

export interface Version {
  /** What people call it. */
  readonly title: string;
  /** What the ids of its operations begin with in the OpenAPI document; the ids of version 1 are the contract's. */
  readonly idPrefix: string;
  /** What stands before the monitor key. */
  readonly prefix: string;
  /** Ways to authenticate beside a key in the path (R5). */
  readonly schemes: readonly Scheme[];
  readonly dialect: Dialect;
  /** What becomes of a message that is longer than a message may be (R10). */
  readonly longMessage: "refused" | "cut";
  /** What holds for its telemetry, for each key by itself (R33). */
  readonly rateLimits: (limits: Limits) => readonly RateLimit[];
  readonly receipts: Receipts;
  /** Bulk sync; sync status is below it. */
  readonly syncPath: string;
  /** Whether a registry that names no mode pauses what it does not name (R28). */
  readonly syncRemoves: boolean;
  /** Whether a monitor without a schedule is a fault (R42). */
  readonly syncNeedsSchedule: boolean;
  readonly synced: Shape<SyncReport>;
}

export const VERSION_1: Version = {
  title: "Version 1",
  idPrefix: "",
  prefix: "/api/v1/ping/",
  schemes: ["basic"],
  dialect: "five",
  longMessage: "refused",
  rateLimits: ({ v1PerMinute, v1PerHour }) =>
    [
      { setting: "limits.v1_per_minute", most: v1PerMinute, span: MINUTE },
      { setting: "limits.v1_per_hour", most: v1PerHour, span: HOUR },
    ].filter(isLimit),
  receipts: { ...RECEIPTS, fail: failureRecorded },
  syncPath: "/api/v1/sync",
  syncRemoves: true,
  syncNeedsSchedule: false,
  synced: syncedInFull,
};

/** The unversioned paths of clients that are deployed and will not change. */
const ALIAS: Version = {
  title: "Unversioned aliases",
  idPrefix: "alias",
  prefix: "/ping/",
  schemes: ["basic", "bearer", "apikey"],
  dialect: "alias",
  longMessage: "cut",
  rateLimits: ({ aliasPerMinute }) =>
    [{ setting: "limits.alias_per_minute", most: aliasPerMinute, span: MINUTE }].filter(isLimit),
  receipts: { ...RECEIPTS, fail: failed },
  syncPath: "/api/sync",
  syncRemoves: false,
  syncNeedsSchedule: true,
  synced: syncedInShort,
};

/** Everything that is served. */
export const VERSIONS: readonly Version[] = [VERSION_1, ALIAS];

/** What holds for bulk sync, and by itself for sync status, in all versions together: the contract has one number. */
export const syncRateLimits = ({ syncPerMinute }: Limits): readonly RateLimit[] =>
  [{ setting: "limits.sync_per_minute", most: syncPerMinute, span: MINUTE }].filter(isLimit);

function isLimit({ most }: RateLimit): boolean {
  return most > 0;
}
