// Reads the reports of many monitors in a span of time along their chains, a limited number at a time. Changes nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import type { Instant } from "../domain/time.ts";
import type { ChainHead } from "../store/recent.ts";
import type { WalkedReport } from "../store/spans.ts";
import type { Store } from "../store/store.ts";

/** How many reports one piece reads, which takes some milliseconds. */
const AT_ONCE = 800;
/** How many reports of one monitor are read: a start and an end in each minute of a day, and some more. */
const WALKED_MAX = 3_200;
/** How many late reports are searched when the span lies in the past, including those of other monitors. */
const LATE_MAX = 40_000;
/** When the span lies in the past, among how many reports before its end those of these monitors are searched. */
const SEARCHED = 20_000;

/** A report in the span. `at` is when its event happened. */
export interface ReportInSpan extends WalkedReport {
  /** When the report came, if it came late; otherwise `null`. */
  readonly heardAt: Instant | null;
}

export interface WalkedReports {
  /**
   * Sorted with the oldest first. Some reports from before the span may precede it: the last one that is not a log,
   * because its run may still go on; and those whose report came late, in the span, because they may have ended that
   * run (R43).
   */
  readonly reports: readonly ReportInSpan[];
  /** Reports from before this instant were too many to read; the span's begin when all were read. */
  readonly readSince: Instant;
  /**
   * All reports until this instant were read. It lies after the span's end, because later reports may fill the last
   * slots of the span.
   */
  readonly readTo: Instant;
  /** Where the chain goes on before the reports; `null` when it ends there, or too many were read already. */
  readonly before: ChainHead | null;
}

/** A span for which reports are asked; both ends belong to it. */
export interface WalkedSpan {
  readonly from: Instant;
  readonly to: Instant;
  /** True when more reports may have come after the span. */
  readonly isPast: boolean;
}

interface Walk {
  /** The newest first. */
  readonly found: ReportInSpan[];
  walked: number;
  readSince: Instant;
  before: ChainHead | null;
}

/** Reads the reports, by monitor. Throws what SQLite throws. */
export function* walkReports(
  { spans }: Pick<Store, "spans">,
  heads: readonly ChainHead[],
  span: WalkedSpan,
): InPieces<ReadonlyMap<number, WalkedReports>> {
  const walks = new Map(
    heads.map(({ id }): [number, Walk] => [id, { found: [], walked: 0, readSince: span.from, before: null }]),
  );
  let left = span.isPast ? nearer(spans, heads, span.to) : heads;
  while (left.length > 0) {
    // One query reads a part of each chain; shorter chains end sooner.
    const rows = spans.reports(left, span.from, Math.max(AT_ONCE, 2 * left.length));
    const byMonitor = Map.groupBy(rows, ({ monitorId }) => monitorId);
    left = left.flatMap(({ id }) => goOn(walks.get(id)!, byMonitor.get(id) ?? [], span));
    if (left.length > 0) yield;
  }
  if (span.isPast) yield* addLate(spans, walks, span);
  return new Map(
    [...walks].map(([id, { found, readSince, before }]) => {
      return [id, { reports: inHeardOrder(found), readSince, readTo: span.to, before }];
    }),
  );
}

/** Adds the reports that came after the span and happened in it (R43). */
function* addLate(spans: Store["spans"], walks: ReadonlyMap<number, Walk>, span: WalkedSpan): InPieces<void> {
  let place = { happenedAt: span.from, id: 0 };
  for (let read = 0; read < LATE_MAX; read += AT_ONCE) {
    yield;
    const rows = spans.late(span, place, AT_ONCE);
    for (const row of rows) {
      walks.get(row.monitorId)?.found.push(whenItHappened(row));
      place = { happenedAt: row.happenedAt!, id: row.id };
    }
    if (rows.length < AT_ONCE) return;
  }
}

const whenItHappened = (row: WalkedReport): ReportInSpan =>
  row.happenedAt === null ? { ...row, heardAt: null } : { ...row, at: row.happenedAt, heardAt: row.at };

/**
 * The reports with the oldest first by their events, so that late reports stand among those that came before them
 * (R43).
 */
const inHeardOrder = (found: ReportInSpan[]): readonly ReportInSpan[] =>
  found.some(({ happenedAt }) => happenedAt !== null) ? found.sort((a, b) => a.at - b.at) : found.reverse();

/** Where this monitor's walk goes on; empty at its end. */
function goOn(walk: Walk, rows: readonly WalkedReport[], { from, to }: WalkedSpan): ChainHead[] {
  const last = rows.at(-1);
  // The chain leads to a row that was deleted.
  if (last === undefined) return [];
  walk.walked += rows.length;
  for (const row of rows) {
    // Reports that came after the span are searched separately, by when their event happened.
    if (row.at <= to) walk.found.push(whenItHappened(row));
  }
  if (last.previousId === null) return [];
  const next = { id: last.monitorId, lastPingId: last.previousId };
  if (last.at < from && last.kind !== "log") {
    walk.before = next;
    return [];
  }
  if (walk.walked < WALKED_MAX) return [next];
  if (last.at >= from) walk.readSince = Math.min(to, last.at);
  return [];
}

/**
 * Where a walk begins. For monitors that report often, it is a place in the chain just before the span's end; the
 * chains of the others are short.
 */
function nearer(spans: Store["spans"], heads: readonly ChainHead[], to: Instant): ChainHead[] {
  const last = spans.lastIdAt(to);
  const ids = heads.map(({ id }) => id);
  const near = new Map(spans.headsUpTo(ids, last, SEARCHED).map((head) => [head.id, head]));
  return heads.map((head) => near.get(head.id) ?? head);
}
