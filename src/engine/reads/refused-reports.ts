// What operators see of reports that were refused for another reason than the rate limit (R33). Changes nothing.

import { isRefusal, type Refusal, type RefusalCode, STATUS } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { RejectedRow } from "../../store/rejected-reports.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import type { RefusedList, RefusedSummary } from "../operations/answers/received.ts";
import { findListed } from "./find-named.ts";
import { ALL_RECEIVED, type ReceivedFilter, sinceOf } from "./received-filter.ts";

/** The newest, newest first. */
export function listRejected(
  context: EngineContext,
  { application, sinceSeconds, limit, monitor }: ReceivedFilter,
  now: Instant,
): RefusedList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const newest = context.store.rejectedReports.newest(owner?.id ?? null, monitor === null ? limit + 1 : ALL_RECEIVED);
  const from = sinceOf(sinceSeconds, now);
  const found = newest.filter(({ at, monitorKey }) => at >= from && monitorKey === (monitor ?? monitorKey));
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
