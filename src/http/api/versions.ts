// Says how the versions of the contract differ: version 1, and the unversioned paths. No other file may ask which
// version it serves.

import { aliasRateLimits, isLimit, type RateLimit, versionOneRateLimits } from "../../domain/rate-limit.ts";
import type { Dialect } from "../../domain/schedule/schedule.ts";
import { MINUTE } from "../../domain/time.ts";
import type { Shape } from "../json-shapes.ts";
import { failed, failureRecorded, RECEIPTS, type Receipts } from "./receipts.ts";
import type { Scheme } from "./schemes.ts";
import { syncedInFull, syncedInShort, type WarnedSync } from "./sync-bodies.ts";

/** How many requests a key may send, from the configuration; 0 means no limit (R33). */
export interface Limits {
  readonly v1PerMinute: number;
  readonly v1PerHour: number;
  readonly aliasPerMinute: number;
  readonly syncPerMinute: number;
  readonly adminPerMinute: number;
}

export interface Version {
  readonly title: string;
  /**
   * The prefix of the version's operation ids in the OpenAPI document. It is "" for version 1, whose ids are those of
   * the contract.
   */
  readonly idPrefix: string;
  readonly prefix: string;
  readonly schemes: readonly Scheme[];
  readonly dialect: Dialect;
  /** Whether a message that is too long is refused or cut (R10). */
  readonly longMessage: "refused" | "cut";
  /** The rate limits of reports in this version. Each key is counted by itself (R33). */
  readonly rateLimits: (limits: Limits) => readonly RateLimit[];
  /**
   * The limits of late reports, which a client kept while it could not reach rollcall (R43). They are counted by
   * themselves, so that they use up nothing of `rateLimits`. Version 1 allows as many of them in a minute as of other
   * reports in an hour.
   */
  readonly lateRateLimits: (limits: Limits) => readonly RateLimit[];
  readonly receipts: Receipts;
  readonly syncPath: string;
  /** Whether a registry without a `mode` pauses the monitors that it does not name (R28). */
  readonly syncRemoves: boolean;
  /** Whether each monitor in a registry must have a schedule or an interval (R42). */
  readonly syncNeedsSchedule: boolean;
  readonly synced: Shape<WarnedSync>;
  /** Whether an address of Healthchecks may begin with this version's prefix (R45). */
  readonly hasOldAddresses: boolean;
}

export const VERSION_1: Version = {
  title: "Version 1",
  idPrefix: "",
  prefix: "/api/v1/ping/",
  schemes: ["basic"],
  dialect: "five",
  longMessage: "refused",
  rateLimits: ({ v1PerMinute, v1PerHour }) => versionOneRateLimits(v1PerMinute, v1PerHour),
  lateRateLimits: ({ v1PerHour }) => [{ setting: "limits.v1_per_hour", most: v1PerHour, span: MINUTE }].filter(isLimit),
  receipts: { ...RECEIPTS, fail: failureRecorded },
  syncPath: "/api/v1/sync",
  syncRemoves: true,
  syncNeedsSchedule: false,
  synced: syncedInFull,
  hasOldAddresses: false,
};

/**
 * The unversioned paths count as a version of their own. They are for clients that are deployed and will not change.
 */
const ALIAS: Version = {
  title: "Unversioned aliases",
  idPrefix: "alias",
  prefix: "/ping/",
  schemes: ["basic", "bearer", "apikey"],
  dialect: "alias",
  longMessage: "cut",
  rateLimits: ({ aliasPerMinute }) => aliasRateLimits(aliasPerMinute),
  lateRateLimits: ({ aliasPerMinute }) =>
    [{ setting: "limits.alias_per_minute", most: aliasPerMinute, span: MINUTE }].filter(isLimit),
  receipts: { ...RECEIPTS, fail: failed },
  syncPath: "/api/sync",
  syncRemoves: false,
  syncNeedsSchedule: true,
  synced: syncedInShort,
  hasOldAddresses: true,
};

export const VERSIONS: readonly Version[] = [VERSION_1, ALIAS];

/**
 * The limits of bulk sync. Sync status has the same, but is counted by itself. All versions share them, because the
 * contract has one number for all.
 */
export const syncRateLimits = ({ syncPerMinute }: Limits): readonly RateLimit[] =>
  [{ setting: "limits.sync_per_minute", most: syncPerMinute, span: MINUTE }].filter(isLimit);

export const adminRateLimits = ({ adminPerMinute }: Limits): readonly RateLimit[] =>
  [{ setting: "limits.admin_per_minute", most: adminPerMinute, span: MINUTE }].filter(isLimit);
