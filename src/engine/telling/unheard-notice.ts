// The notice about what a gap left unknown, sent once the gap leaves nothing in doubt (R26): first reads what that is, in
// pieces, then tells it in the transaction that decides the gap. A gap that is decided is told.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { UnknownMonitor } from "../../domain/message/notice.ts";
import type { Instant } from "../../domain/time.ts";
import type { GapRow } from "../../store/gaps.ts";
import type { UnknownRow } from "../../store/unknowns.ts";
import type { MonitorRecord } from "../../views/monitor-records.ts";
import type { EngineContext } from "../context.ts";
import { type Audiences, createAudiences } from "./audiences.ts";
import { namedBy, type RaisedNotice, raiseNotices, readable } from "./notices.ts";

/** Monitors read in one turn of the event loop. */
const MONITORS_A_TURN = 200;

/** What a gap left unknown, and who hears of it. */
export interface Unheard extends GapRow {
  readonly audiences: Audiences<UnknownMonitor>;
}

export function* findUnheard(context: EngineContext, gaps: readonly GapRow[]): InPieces<Unheard[]> {
  const found: Unheard[] = [];
  for (const { id, gap } of gaps) {
    const audiences = createAudiences<UnknownMonitor>(context.policy);
    for (let after = 0; ; ) {
      const monitorIds = context.store.unknowns.monitors(id, after, MONITORS_A_TURN);
      for (const monitorId of monitorIds) addUnknown(context, audiences, id, monitorId);
      const last = monitorIds.at(-1);
      if (last === undefined) break;
      after = last;
      yield;
    }
    found.push({ id, gap, audiences });
  }
  return found;
}

function addUnknown(
  context: EngineContext,
  audiences: Audiences<UnknownMonitor>,
  gapId: number,
  monitorId: number,
): void {
  const record = readable(context, monitorId);
  // People already know about a monitor with an open incident.
  if (record === null || record.monitor.incident !== null) return;
  audiences.add(unknownMonitor(record, context.store.unknowns.inGap(gapId, monitorId)));
}

/** Runs inside the caller's transaction, which decides the gap. */
export const tellUnheard = (context: EngineContext, { gap, audiences }: Unheard, now: Instant): RaisedNotice[] =>
  raiseNotices(context, audiences.all(), ({ total, monitors }) => ({ kind: "unheard", gap, total, monitors }), now);

function unknownMonitor(record: MonitorRecord, rows: readonly UnknownRow[]): UnknownMonitor {
  const ofSlots = rows.flatMap(({ slot, slots }) => (slot === null ? [] : [{ slot, slots }]));
  return {
    ...namedBy(record),
    slots:
      ofSlots.length === 0
        ? null
        : {
            first: Math.min(...ofSlots.map(({ slot }) => slot)),
            count: ofSlots.reduce((sum, { slots }) => sum + slots, 0),
          },
    runs: rows.flatMap(({ slot, runId, runStartedAt }) =>
      slot !== null || runStartedAt === null ? [] : [{ runId, startedAt: runStartedAt }],
    ),
    expectedAt: record.monitor.expectedAt,
  };
}
