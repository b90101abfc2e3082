// The answers of operations about refused reports (R33), and bulk syncs with what each changed and withheld (R29).

import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const REFUSED_REPORT = object({
  application: TEXT,
  /**
   * The monitor key in the report, even if no such monitor exists; empty when the request had no key that could be
   * read.
   */
  monitorKey: TEXT,
  /** The kind of the newest refused report; `null` when the request named no known kind. */
  report: nullable(wordOf("heartbeat", "start", "complete", "fail", "log")),
  /** The code of the refusal, its HTTP status, and the sentence with which the newest report was answered. */
  error: TEXT,
  status: COUNT,
  reason: TEXT,
  /** The number of the API key with which the newest report came. */
  keyId: ID,
  firstAt: INSTANT,
  at: INSTANT,
  times: COUNT,
});

/**
 * Reports from a network that were refused because they came over plain HTTP (R35). The API keys of these reports were
 * not examined.
 */
export const PLAIN_REFUSAL = object({ network: TEXT, firstAt: INSTANT, at: INSTANT, times: COUNT });

/**
 * The refused reports, the newest first. `more` is true when older ones are not listed. `plainHttp` has the reports
 * over plain HTTP that were refused since rollcall's start.
 */
export const REFUSED_REPORTS = object({
  refused: listOf(REFUSED_REPORT),
  more: BOOLEAN,
  plainHttp: listOf(PLAIN_REFUSAL),
});

const CHANGE = object({
  key: TEXT,
  action: wordOf("created", "created_plan_limited", "updated", "unchanged", "paused_removed"),
});

/** What a bulk sync did. Numbers count everything; the lists may be shortened. */
export const SYNC = object({
  application: TEXT,
  keyId: ID,
  source: TEXT,
  version: nullable(TEXT),
  /**
   * True when the sync's list of jobs counts as complete, so that monitors that it does not name are withdrawn (R28).
   */
  authoritative: BOOLEAN,
  /**
   * When the sync came. Equal syncs in a row that changed nothing are kept as one: then `firstAt` is when the first
   * came, `at` when the last came, and `times` their number.
   */
  firstAt: INSTANT,
  at: INSTANT,
  times: COUNT,
  total: COUNT,
  created: COUNT,
  updated: COUNT,
  unchanged: COUNT,
  removed: COUNT,
  errors: COUNT,
  /** How many monitors stay although the sync does not name them, because an entry was in error (R29). */
  withheld: COUNT,
  /** What was done to each monitor; unchanged monitors are left out. */
  changes: listOf(CHANGE),
  errorList: listOf(object({ key: TEXT, error: TEXT, withheldRemoval: BOOLEAN })),
  withheldKeys: listOf(TEXT),
});

/** The syncs, the newest first. `more` is true when older ones are not in the list. */
export const SYNCS = object({ syncs: listOf(SYNC), more: BOOLEAN });

export type RefusedSummary = InEngine<typeof REFUSED_REPORT>;
export type RefusedList = InEngine<typeof REFUSED_REPORTS>;
export type SyncSummary = InEngine<typeof SYNC>;
export type SyncList = InEngine<typeof SYNCS>;
