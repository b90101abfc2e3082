// What operators see of reports that were refused for another reason than the rate limit (R33). Changes nothing.

import { isRefusal, type Refusal, type RefusalCode, STATUS } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import type { NewRejected } from "../store/rejected-reports.ts";
import type { RefusedList, RefusedSummary } from "./answers/received.ts";
import type { ViewSource } from "./context.ts";
import { findListed } from "./find-named.ts";
import type { MonitorRecord } from "./monitor-records.ts";
import { ALL_RECEIVED, type ReceivedFilter, sinceOf } from "./received-filter.ts";

/** The newest, newest first. */
export function listRejected(
  context: ViewSource,
  { application, sinceSeconds, limit, monitor }: ReceivedFilter,
  now: Instant,
): RefusedList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const stored = context.store.rejectedReports.newest(owner?.id ?? null, monitor === null ? limit + 1 : ALL_RECEIVED);
  const unwritten = unwrittenOf(context).filter(({ applicationId }) => applicationId === (owner?.id ?? applicationId));
  const newest = withUnwritten(stored, unwritten).sort((a, b) => b.at - a.at);
  const from = sinceOf(sinceSeconds, now);
  const found = newest.filter(({ at, monitorKey }) => at >= from && monitorKey === (monitor ?? monitorKey));
  return { refused: found.slice(0, limit).map(summaryOfRefused), more: found.length > limit };
}

/** Of one monitor, newest first. */
export function refusedOf(context: ViewSource, { applicationId, key }: MonitorRecord): RefusedSummary[] {
  const stored = context.store.rejectedReports.ofMonitor(applicationId, key, 0, Number.MAX_SAFE_INTEGER);
  const unwritten = unwrittenOf(context).filter((one) => one.applicationId === applicationId && one.monitorKey === key);
  return withUnwritten(stored, unwritten)
    .sort((a, b) => b.at - a.at)
    .map(summaryOfRefused);
}

type Refused = NewRejected & { readonly application: string };

/** What waits in memory until it can be stored (R26). */
const unwrittenOf = ({ rejectionCounts }: ViewSource): Refused[] =>
  rejectionCounts
    .unwritten()
    .map(({ application, newest, unwritten }) => ({ ...newest, application, times: unwritten }));

function withUnwritten(stored: readonly Refused[], unwritten: readonly Refused[]): Refused[] {
  const left = new Map(unwritten.map((one) => [idOf(one), one]));
  const together = stored.map((row): Refused => {
    const more = left.get(idOf(row));
    if (more === undefined) return row;
    left.delete(idOf(row));
    return { ...more, firstAt: row.firstAt, times: row.times + more.times };
  });
  return [...together, ...left.values()];
}

const idOf = ({ applicationId, monitorKey, code, field }: Refused): string =>
  JSON.stringify([applicationId, monitorKey, code, field]);

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
}: Refused): RefusedSummary => ({
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
