// The notice about what a gap left unknown, sent once the gap leaves nothing in doubt (R26). Runs inside the caller's
// transaction.

import type { UnknownMonitor } from "../../domain/message/notice.ts";
import type { Instant } from "../../domain/time.ts";
import type { GapRow } from "../../store/gaps.ts";
import type { UnknownRow } from "../../store/unknowns.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import { namedBy, type RaisedNotice, raiseNotices, readable } from "./notices.ts";

export function tellUnheard(context: EngineContext, { id, gap }: GapRow, now: Instant): RaisedNotice[] {
  const { unknowns } = context.store;
  const untold = unknowns.untold(id);
  const monitors = [...Map.groupBy(untold, ({ monitorId }) => monitorId)].flatMap(([monitorId, rows]) => {
    const record = readable(context, monitorId);
    // People already know about a monitor with an open incident.
    return record === null || record.monitor.incident !== null ? [] : [unknownMonitor(record, rows)];
  });
  for (const unknown of untold) unknowns.markTold(unknown.id);
  return raiseNotices(context, monitors, (concerned) => ({ kind: "unheard", gap, monitors: concerned }), now);
}

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
