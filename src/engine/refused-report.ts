// The refused report that explains a miss, or a run without its end (R33): no one should wake to look for a dead job
// when a parameter is wrong. Reads only.

import { TRANSIT } from "../domain/limits.ts";
import type { Alert, RefusedReport } from "../domain/message/alert.ts";
import { explainsSince } from "../domain/message/refused-report.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";
import type { EngineContext } from "./context.ts";

/** A failure was taken since, as when its client sends this one again, also late: its incident tells of it (R33). */
export const isHeardSince = (record: Pick<MonitorRecord, "monitor"> | null, at: Instant): boolean =>
  (record?.monitor.failedAt ?? Number.NEGATIVE_INFINITY) >= at - TRANSIT;

/** Null: none was refused, or the alert is about something else. */
export function refusedReportOf({ store }: EngineContext, before: MonitorRecord, alert: Alert): RefusedReport | null {
  const since = explainsSince(alert, before.monitor.createdAt);
  if (since === null) return null;
  // A report that could not be stored was in order; the alert names the gap that it fell into (R26).
  const refused = store.refusedReports
    .ofMonitor(before.applicationId, before.key)
    .find(({ code, at }) => code !== "STORAGE_UNAVAILABLE" && at > since && at <= alert.at);
  if (refused === undefined) return null;
  return { at: toIso(refused.at), report: refused.kind, error: refused.code, reason: refused.reason };
}
