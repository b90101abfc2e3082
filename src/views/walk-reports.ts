// The reports of many monitors in a span of time, read along their chains a bounded number at a time. Changes nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import type { Instant } from "../domain/time.ts";
import type { ChainHead } from "../store/recent.ts";
import type { WalkedReport } from "../store/spans.ts";
import type { Store } from "../store/store.ts";

/** Reports of one piece: some milliseconds of work. */
const AT_ONCE = 800;
/** Of one monitor: a start and an end in each minute of a day, and some. */
const WALKED_MAX = 3_200;
/** Late reports that are looked through where the span lies in the past, those of other monitors too. */
const LATE_MAX = 40_000;
/** Where the span lies in the past: among so many reports before its end we look for those of our monitors. */
const SEARCHED = 20_000;

/** `at` is when it happened. */
export interface ReportInSpan extends WalkedReport {
  /** When it came, if it came late; null: as it happened. */
  readonly heardAt: Instant | null;
}

export interface WalkedReports {
  /**
   * Oldest first. The first may be from before the span: the last that is no log, whose run may go on, and those that
   * came late in the span, which may have ended it (R43).
   */
  readonly reports: readonly ReportInSpan[];
  /** Those from before this were too many to read. The span's begin: all were read. */
  readonly readSince: Instant;
  /** Until then all were read: behind the span's end, where they may fill its last slots. */
  readonly readTo: Instant;
  /** Where the chain goes on before them; null: it ends there, or too many were read already. */
  readonly before: ChainHead | null;
}

/** A span of which reports are asked for; both ends belong to it. */
export interface WalkedSpan {
  readonly from: Instant;
  readonly to: Instant;
  /** More reports may have come after it. */
  readonly isPast: boolean;
}

interface Walk {
  /** Newest first. */
  readonly found: ReportInSpan[];
  walked: number;
  readSince: Instant;
  before: ChainHead | null;
}

/** By monitor. Throws what SQLite throws. */
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
    // Each chain has its turn in one query, and a shorter one ends sooner.
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

/** Those that came after the span and happened in it (R43). */
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

/** Oldest first, each where it happened: late reports stand among those that came before them (R43). */
const inHeardOrder = (found: ReportInSpan[]): readonly ReportInSpan[] =>
  found.some(({ happenedAt }) => happenedAt !== null) ? found.sort((a, b) => a.at - b.at) : found.reverse();

/** Where this monitor's walk goes on; none: it is at its end. */
function goOn(walk: Walk, rows: readonly WalkedReport[], { from, to }: WalkedSpan): ChainHead[] {
  const last = rows.at(-1);
  // Where a chain leads to a row that was deleted.
  if (last === undefined) return [];
  walk.walked += rows.length;
  for (const row of rows) {
    // What came after the span is looked for by when it happened.
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

/** Those that report often are found just before the span's end; a chain of the others is short. */
function nearer(spans: Store["spans"], heads: readonly ChainHead[], to: Instant): ChainHead[] {
  const last = spans.lastIdAt(to);
  const ids = heads.map(({ id }) => id);
  const near = new Map(spans.headsUpTo(ids, last, SEARCHED).map((head) => [head.id, head]));
  return heads.map((head) => near.get(head.id) ?? head);
}
