// What operators see of what registries and jobs sent: reports that were refused for another reason than the rate limit
// (R33), and bulk syncs. Changes nothing.

import { isRefusal, type Refusal, type RefusalCode, STATUS } from "../domain/errors.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { NewRejected } from "../store/refused-reports.ts";
import type { RefusedList, RefusedSummary, SyncList, SyncSummary } from "./answers/received.ts";
import type { ViewSource } from "./context.ts";
import { findListed } from "./find-named.ts";
import type { MonitorRecord } from "./monitor-records.ts";

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

const summaryOfRefused = (row: Refused): RefusedSummary => ({
  application: row.application,
  monitorKey: row.monitorKey,
  report: row.kind,
  error: row.code,
  status: STATUS[row.code as RefusalCode],
  reason: row.reason,
  keyId: row.keyId,
  firstAt: row.firstAt,
  at: row.at,
  times: row.times,
});

// What operators see of the history of bulk syncs (R29): the newest, with what each did.

/** What a sync did, as it is stored. */
export type SyncOutcome = Pick<
  SyncSummary,
  "total" | "created" | "updated" | "unchanged" | "removed" | "errors" | "withheld" | "changes" | "withheldKeys"
> & {
  readonly errorList: readonly { readonly key: string; readonly error: string; readonly blocksRemoval: boolean }[];
};

/** The newest syncs, newest first. */
export function listSyncs(
  context: ViewSource,
  { application, monitor, sinceSeconds, limit }: ReceivedFilter,
  now: Instant,
): SyncList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const from = sinceOf(sinceSeconds, now);
  const found = context.store.syncs
    .newest(owner?.id ?? null, monitor === null ? limit + 1 : ALL_RECEIVED)
    .filter(({ at }) => at >= from)
    .map((row) => ({ ...row, outcome: JSON.parse(row.outcome) as SyncOutcome }))
    .filter(({ outcome }) => monitor === null || isAbout(outcome, monitor));
  return {
    syncs: found.slice(0, limit).map(({ authoritative, outcome, ...row }) => {
      const { errorList, ...counted } = outcome;
      return {
        application: row.application,
        keyId: row.keyId,
        source: row.source,
        version: row.version,
        authoritative: authoritative === 1,
        firstAt: row.firstAt,
        at: row.at,
        times: row.times,
        ...counted,
        errorList: errorList.map(({ key, error, blocksRemoval }) => ({ key, error, withheldRemoval: blocksRemoval })),
      };
    }),
    more: found.length > limit,
  };
}

const isAbout = ({ changes, withheldKeys, errorList }: SyncOutcome, monitor: string): boolean =>
  [...changes, ...errorList].some(({ key }) => key === monitor) || withheldKeys.includes(monitor);

// Which of a list of what came in or went out an operator asks for.

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  /** Only what is about the monitor with this key; null: of all. */
  readonly monitor: string | null;
  /** How far back; null: as far as there is anything. */
  readonly sinceSeconds: number | null;
  readonly limit: number;
}

/** There are at most 500 of an application. */
const ALL_RECEIVED = 10_000;

/** From when on; everything where nothing is said. */
export const sinceOf = (sinceSeconds: number | null, now: Instant): Instant =>
  sinceSeconds === null ? Number.NEGATIVE_INFINITY : now - sinceSeconds * SECOND;
