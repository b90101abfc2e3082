// The refused report that explains a miss, or a run without its end (R33): a person whom the alarm wakes must not look for a
// dead job when a parameter is wrong. And what operators see of refused reports.

import { isRefusal, type Refusal, type RefusalCode, STATUS } from "../../domain/errors.ts";
import type { Alert, RefusedReport } from "../../domain/message/alert.ts";
import { explainsSince } from "../../domain/message/refused-report.ts";
import { toIso } from "../../domain/time.ts";
import type { RejectedRow } from "../../store/rejected-reports.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import type { RefusedList, RefusedSummary } from "../operations/answers/received.ts";
import { findApplication } from "../reads/operator-views.ts";
import type { ReceivedFilter } from "../reads/received-filter.ts";

/** Null: none was refused, or the alert is about something else. */
export function refusedReportOf({ store }: EngineContext, before: MonitorRecord, alert: Alert): RefusedReport | null {
  const since = explainsSince(alert, before.monitor.createdAt);
  if (since === null) return null;
  const [rejected] = store.rejectedReports.ofMonitor(before.applicationId, before.key, since, alert.at);
  const limited = store.rateLimitedReports.newestWithin(before.id, since, alert.at);
  if (limited !== null && (rejected === undefined || limited.at > rejected.at)) {
    const reason = `more came with its key than ${limited.setting} allows`;
    return { at: toIso(limited.at), report: limited.kind, error: "RATE_LIMIT_EXCEEDED", reason };
  }
  if (rejected === undefined) return null;
  return { at: toIso(rejected.at), report: rejected.kind, error: rejected.code, reason: rejected.reason };
}

/** The newest, newest first. */
export function listRejected(context: EngineContext, { application, limit }: ReceivedFilter): RefusedList | Refusal {
  const owner = application === null ? null : findApplication(context, application);
  if (isRefusal(owner)) return owner;
  const found = context.store.rejectedReports.newest(owner?.id ?? null, limit + 1);
  return { refused: found.slice(0, limit).map(summaryOfRefused), more: found.length > limit };
}

/** Of one monitor, newest first. */
export const refusedOf = ({ store }: EngineContext, { applicationId, key }: MonitorRecord): RefusedSummary[] =>
  store.rejectedReports.ofMonitor(applicationId, key, 0, Number.MAX_SAFE_INTEGER).map(summaryOfRefused);

const summaryOfRefused = ({
  application,
  monitorKey,
  kind,
  code,
  reason,
  keyId,
  firstAt,
  at,
  times,
}: RejectedRow): RefusedSummary => ({
  application,
  monitorKey,
  report: kind,
  error: code,
  status: STATUS[code as RefusalCode],
  reason,
  keyId,
  firstAt,
  at,
  times,
});
