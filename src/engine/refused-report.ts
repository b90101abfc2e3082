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
  const rejected = store.rejectedReports
    .ofMonitor(before.applicationId, before.key, since, alert.at)
    .find(({ code }) => code !== "STORAGE_UNAVAILABLE");
  const limited = store.rateLimitedReports.newestWithin(before.id, since, alert.at);
  if (limited !== null && (rejected === undefined || limited.at > rejected.at)) {
    const reason = `more came with its key than ${limited.setting} allows`;
    return { at: toIso(limited.at), report: limited.kind, error: "RATE_LIMIT_EXCEEDED", reason };
  }
  if (rejected === undefined) return null;
  return { at: toIso(rejected.at), report: rejected.kind, error: rejected.code, reason: rejected.reason };
}
