// What operations answer of refused reports (R33), and of bulk syncs with what each changed and withheld (R29).

import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

export const REFUSED_REPORT = object({
  application: TEXT,
  /** Of a monitor that need not exist; empty: none could be read. */
  monitorKey: TEXT,
  /** What the newest reported; null: the request named nothing known. */
  report: orNull(wordOf("heartbeat", "start", "complete", "fail", "log")),
  /** The code of the refusal, the HTTP status that goes with it, and the sentence that the newest was answered. */
  error: TEXT,
  status: COUNT,
  reason: TEXT,
  /** The API key the newest came with. */
  keyId: ID,
  firstAt: INSTANT,
  at: INSTANT,
  times: COUNT,
});

/** Reports from a network that came over plain HTTP, whose key was not looked at. */
export const PLAIN_REFUSAL = object({ network: TEXT, firstAt: INSTANT, at: INSTANT, times: COUNT });

/** Newest first. `more`: there are older ones that are not in the list. `plainHttp`: since the start. */
export const REFUSED_REPORTS = object({
  refused: listOf(REFUSED_REPORT),
  more: BOOLEAN,
  plainHttp: listOf(PLAIN_REFUSAL),
});

const CHANGE = object({
  key: TEXT,
  action: wordOf("created", "created_plan_limited", "updated", "unchanged", "paused_removed"),
});

/** What a bulk sync did. Numbers count all; the lists may be cut short. */
export const SYNC = object({
  application: TEXT,
  keyId: ID,
  source: TEXT,
  version: orNull(TEXT),
  /** Whether it was to withdraw what it did not name (R28). */
  authoritative: BOOLEAN,
  /** The first and the last of several that were alike and changed nothing. */
  firstAt: INSTANT,
  at: INSTANT,
  times: COUNT,
  total: COUNT,
  created: COUNT,
  updated: COUNT,
  unchanged: COUNT,
  removed: COUNT,
  errors: COUNT,
  /** Monitors that it did not name and that an error kept from being withdrawn. */
  withheld: COUNT,
  /** All but those that are unchanged. */
  changes: listOf(CHANGE),
  errorList: listOf(object({ key: TEXT, error: TEXT, withheldRemoval: BOOLEAN })),
  withheldKeys: listOf(TEXT),
});

/** Newest first. `more`: there are older ones that are not in the list. */
export const SYNCS = object({ syncs: listOf(SYNC), more: BOOLEAN });

export type RefusedSummary = Held<typeof REFUSED_REPORT>;
export type RefusedList = Held<typeof REFUSED_REPORTS>;
export type SyncSummary = Held<typeof SYNC>;
export type SyncList = Held<typeof SYNCS>;
