// After a restore (R26): incidents that were told since the backup are not in the database any more. People and pagers
// would wait for their end for ever, so it is told where they were told, under the same number and thread.

import type { AlertMessage } from "../../domain/message/alert.ts";
import { type Instant, toIso, wholeSeconds } from "../../domain/time.ts";
import { enqueueDeliveries } from "../../store/deliveries.ts";
import type { LostIncident } from "../../store/file/restore.ts";
import type { EngineContext } from "../context.ts";

/** Tells the ends, and takes away the mark of the restore. To be called in a transaction. */
export function tellAfterRestore({ store, deliveries }: EngineContext, now: Instant): void {
  const lost = store.restored.read();
  if (lost === null) return;
  for (const { data, routes } of lost) {
    // The database knows no such incident, so the alert belongs to none there.
    const alertId = store.alerts.insert(null, endOf(data, now));
    enqueueDeliveries(deliveries, { alertId, incidentId: null, monitorId: null, routes, at: now });
  }
  store.restored.remove();
}

const endOf = (data: LostIncident["data"], now: Instant): AlertMessage => ({
  type: "monitor.recovered",
  at: now,
  data: {
    ...data,
    kind: "Recovered",
    reason: "restored",
    // What it is now is unknown before its next report.
    status: "warning",
    recoveredAt: toIso(now),
    durationSeconds: wholeSeconds(Date.parse(data.openedAt), now),
    missedSlots: data.missedSlots ?? 0,
    unheardSlots: data.unheardSlots ?? 0,
    lateSlots: data.lateSlots ?? 0,
    happenedAt: null,
    nextReminderAt: null,
    runningSince: null,
    outcomes: null,
    gap: null,
    gaps: [],
    gapsTotal: 0,
    zoneHint: null,
    refusedReport: null,
    // The page of the incident is gone with it.
    url: null,
  },
});
