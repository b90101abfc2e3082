// Writes the notice about the slots and runs that a gap left unknown (R26). It is sent when no monitor is in doubt any
// more, or a day after the first of these slots and runs was judged. They are read in pieces before the notice is
// written. The transaction that writes the notice also stores that a notice has told of these slots and runs.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import type { ListedUnknown } from "../../domain/message/notice.ts";
import { unheardDetails } from "../../domain/message/notice-lists.ts";
import type { FoundGap } from "../../domain/monitor/gap.ts";
import { isInDoubt } from "../../domain/monitor/settle.ts";
import { nextExpected } from "../../domain/monitor/window.ts";
import { type Instant, toIso, toIsoOrNull } from "../../domain/time.ts";
import type { GapRow, UnknownRow } from "../../store/gaps.ts";
import type { MonitorRecord } from "../../views/completed-monitors.ts";
import type { EngineContext, RaisedNotice } from "../engine-context.ts";
import { listedMonitorOf, raiseNotices, readableMonitor } from "../notices.ts";
import { type AudienceMonitor, type Audiences, createAudiences } from "./audiences.ts";

const MONITORS_A_PIECE = 200;

/**
 * The slots and runs that a gap left unknown and no notice has told of yet. `audiences` says who is told of them,
 * `awaited` which monitors are still in doubt.
 */
export interface Unheard extends GapRow {
  readonly audiences: Audiences<ListedUnknown>;
  readonly awaited: Audiences<AudienceMonitor>;
}

/** Reads what each gap left unknown. `suspects` returns the ids of monitors that a gap may still leave in doubt. */
export function* findUnheard(
  context: EngineContext,
  gaps: readonly GapRow[],
  now: Instant,
  suspects: (gap: FoundGap) => readonly number[] = () => [],
): InPieces<Unheard[]> {
  const found: Unheard[] = [];
  for (const { id, gap } of gaps) {
    const audiences = createAudiences<ListedUnknown>(now);
    for (let after = 0; ; ) {
      const monitorIds = context.store.unknowns.pending(id, after, MONITORS_A_PIECE);
      for (const monitorId of monitorIds) addUnknown(context, audiences, id, monitorId, now);
      const last = monitorIds.at(-1);
      if (last === undefined) break;
      after = last;
      yield;
    }
    const awaited = createAudiences<AudienceMonitor>(now, 1);
    for (const monitorIds of piecesOf(suspects(gap), MONITORS_A_PIECE)) {
      for (const monitorId of monitorIds) addAwaited(context, awaited, gap, monitorId);
      yield;
    }
    found.push({ id, gap, audiences, awaited });
  }
  return found;
}

function addUnknown(
  context: EngineContext,
  audiences: Audiences<ListedUnknown>,
  gapId: number,
  monitorId: number,
  now: Instant,
): void {
  const record = readableMonitor(context, monitorId);
  // A monitor with an open incident is left out, because its people know about the trouble already.
  if (record === null || record.monitor.incident !== null) return;
  audiences.add(unknownMonitor(record, context.store.unknowns.pendingOf(gapId, monitorId), now), record.policy);
}

function addAwaited(
  context: EngineContext,
  awaited: Audiences<AudienceMonitor>,
  gap: FoundGap,
  monitorId: number,
): void {
  const record = readableMonitor(context, monitorId);
  if (record === null || record.monitor.incident !== null || !isInDoubt(record.monitor, gap)) return;
  awaited.add(listedMonitorOf(record), record.policy);
}

/**
 * Writes the notice about one gap. Must be called in the transaction that stores that the gap was told (`gaps.decide`,
 * `gaps.tell`) or deletes the gap (`gaps.cut`). Otherwise the notice would be written again.
 */
export function tellUnheard(
  context: EngineContext,
  { gap, audiences, awaited }: Unheard,
  now: Instant,
): RaisedNotice[] {
  const awaitedBy = new Map(awaited.all().map(({ routes, total }) => [routes[0]?.destination, total]));
  return raiseNotices(
    context,
    audiences.all(),
    ({ routes, total, monitors }) => {
      const awaitedTotal = awaitedBy.get(routes[0]?.destination) ?? 0;
      return unheardDetails(gap, total, monitors, awaitedTotal);
    },
    now,
  );
}

function unknownMonitor(record: MonitorRecord, rows: readonly UnknownRow[], now: Instant): ListedUnknown {
  const ofSlots = rows.flatMap(({ slot, slots }) => (slot === null ? [] : [{ slot, slots }]));
  const runs = rows.flatMap(({ slot, runId, runStartedAt }) =>
    slot !== null || runStartedAt === null ? [] : [{ runId, startedAt: toIso(runStartedAt) }],
  );
  return {
    ...listedMonitorOf(record),
    firstSlot: ofSlots.length === 0 ? null : toIso(Math.min(...ofSlots.map(({ slot }) => slot))),
    slotsTotal: ofSlots.reduce((sum, { slots }) => sum + slots, 0),
    runsTotal: runs.length,
    runs: runs.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt)),
    expectedAt: toIsoOrNull(nextExpected(record.monitor, now)),
  };
}
