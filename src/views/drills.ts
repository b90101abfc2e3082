// What `monitor show` says of a monitor's drills. Changes nothing.

import { drillDueAt, drillOutcome, lastToEach } from "../domain/message/drill.ts";
import { drillEveryOf } from "../domain/settings/policy.ts";
import type { ShownMonitor } from "./answers/shown-monitor.ts";
import type { MonitorBooks } from "./context.ts";
import { deliverySummaryOf } from "./deliveries.ts";
import type { MonitorRecord } from "./monitor-records.ts";

/** Null: it is no drill monitor. */
export function drillSummaryOf({ store }: MonitorBooks, { id, policy, monitor }: MonitorRecord): ShownMonitor["drill"] {
  const everySeconds = drillEveryOf(policy);
  if (everySeconds === null) return null;
  const last = store.drills.last(id);
  const deliveries = last === null ? [] : lastToEach(store.outgoing.ofAlert(last.alertId));
  return {
    everySeconds,
    dueAt: drillDueAt(everySeconds, monitor.createdAt, last?.at ?? null),
    last: last && {
      at: last.at,
      outcome: deliveries.length > 0 ? drillOutcome(deliveries) : last.outcome,
      deliveries: deliveries.map(deliverySummaryOf),
    },
  };
}
