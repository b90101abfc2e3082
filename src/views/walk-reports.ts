// Reads the reports of many monitors in a span for timelines, by following each monitor's chain of pings backwards.

import type { InPieces } from "../domain/in-pieces.ts";
import type { Instant } from "../domain/time.ts";
import type { ChainHead } from "../store/recent.ts";
import type { WalkedReport } from "../store/spans.ts";
import type { Store } from "../store/store.ts";

/** How many reports one piece reads, which takes some milliseconds. */
const AT_ONCE = 800;
/** At most this many reports of one monitor are read: a start and an end in each minute of a day, and some more. */
const WALKED_MAX = 3_200;
/** At most this many late reports (R43), of all monitors together, are read for a span in the past. */
const LATE_MAX = 40_000;
/**
 * How many reports of all monitors together, the last ones before the end of a past span, are read to find each
 * monitor's last ping in the span.
 */
const PINGS_SEARCHED_MAX = 20_000;

/** A report in the span. `at` is when its event happened. */
export interface ReportInSpan extends WalkedReport {
  /** When the report came, if it came late; otherwise `null`. */
  readonly heardAt: Instant | null;
}

export interface WalkedReports {
  /**
   * The monitor's reports, the oldest first. Up to two kinds of reports about events before the span stand at the
   * beginning. One is the last report before the span that is no `log`: its run may go on in the span. The other kind
   * are late reports that came in the span: they may have ended that run before the span (R43).
   */
  readonly reports: readonly ReportInSpan[];
  /**
   * Reports were read from this instant on. It is the span's begin, or a later instant when there were too many
   * reports.
   */
  readonly readSince: Instant;
  /**
   * All reports up to this instant were read. This instant may be later than the timeline's last slot, because a report
   * after that slot may still fill it.
   */
  readonly readTo: Instant;
  /**
   * Where the chain goes on to reports older than `reports`; `null` when there are none, or when too many were read.
   */
  readonly before: ChainHead | null;
}

/** A span for which reports are read; both ends belong to it. */
export interface WalkedSpan {
  readonly from: Instant;
  readonly to: Instant;
  /** True when the span ends before now, so that reports may have come after it. */
  readonly isPast: boolean;
}

interface Walk {
  /** The reports that were found so far, the newest first. */
  readonly found: ReportInSpan[];
  walked: number;
  readSince: Instant;
  before: ChainHead | null;
}

/**
 * Reads each monitor's reports in the span, by monitor id. `heads` are the monitors' last pings, with which their
 * chains begin. Throws what SQLite throws.
 */
export function* reportsInSpan(
  { spans }: Pick<Store, "spans">,
  heads: readonly ChainHead[],
  span: WalkedSpan,
): InPieces<ReadonlyMap<number, WalkedReports>> {
  const walks = new Map(
    heads.map(({ id }): [number, Walk] => [id, { found: [], walked: 0, readSince: span.from, before: null }]),
  );
  let left = span.isPast ? walkStarts(spans, heads, span.to) : heads;
  while (left.length > 0) {
    // Each query reads the next part of all chains that have not ended yet.
    const rows = spans.reports(left, span.from, Math.max(AT_ONCE, 2 * left.length));
    const byMonitor = Map.groupBy(rows, ({ monitorId }) => monitorId);
    left = left.flatMap(({ id }) => walkOn(walks.get(id)!, byMonitor.get(id) ?? [], span));
    if (left.length > 0) yield;
  }
  if (span.isPast) yield* addLate(spans, walks, span);
  return new Map(
    [...walks].map(([id, { found, readSince, before }]) => {
      return [id, { reports: inEventOrder(found), readSince, readTo: span.to, before }];
    }),
  );
}

/** Adds the reports that came after the span, but whose event happened in it (R43). */
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

/** Sorts the reports by when their events happened, the oldest first. Late reports (R43) are not in this order yet. */
const inEventOrder = (found: ReportInSpan[]): readonly ReportInSpan[] =>
  found.some(({ happenedAt }) => happenedAt !== null) ? found.sort((a, b) => a.at - b.at) : found.reverse();

/**
 * Adds the rows to the monitor's walk. Returns, in a list, the place from which the monitor's chain is read on; empty
 * when the walk is over.
 */
function walkOn(walk: Walk, rows: readonly WalkedReport[], { from, to }: WalkedSpan): ChainHead[] {
  const last = rows.at(-1);
  // Nothing was found, because the chain leads to a row that was deleted.
  if (last === undefined) return [];
  walk.walked += rows.length;
  for (const row of rows) {
    // Of the reports that came after the span, `addLate` adds those whose event happened in it.
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
 * Where each walk begins for a past span: at the monitor's last ping in it, if the monitor reports often. Otherwise at
 * its newest ping, because such a monitor has few pings after the span.
 */
function walkStarts(spans: Store["spans"], heads: readonly ChainHead[], to: Instant): ChainHead[] {
  const last = spans.lastIdAt(to);
  const ids = heads.map(({ id }) => id);
  const near = new Map(spans.headsUpTo(ids, last, PINGS_SEARCHED_MAX).map((head) => [head.id, head]));
  return heads.map((head) => near.get(head.id) ?? head);
}
