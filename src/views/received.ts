// Shows operators what registries and jobs sent: refused reports (R33), and bulk syncs.

import { isRefusal, type Refusal, type RefusalCode, STATUS } from "../domain/errors.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { type NewRefused, refusedRowKey } from "../store/refused-reports.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { findListed } from "./find-named.ts";
import type { RefusedList, RefusedSummary, SyncList, SyncSummary } from "./schemas/received-schemas.ts";
import type { ViewSource } from "./view-source.ts";

export function listRefused(
  context: ViewSource,
  { application, sinceSeconds, limit, monitor }: ReceivedFilter,
  now: Instant,
): RefusedList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const applicationId = owner?.id ?? null;
  const stored = context.store.refusedReports.newest({ applicationId, monitorKey: monitor, limit: limit + 1 });
  const from = listedSince(sinceSeconds, now);
  const found = withUnwritten(
    context,
    stored,
    (row) =>
      row.applicationId === (applicationId ?? row.applicationId) && row.monitorKey === (monitor ?? row.monitorKey),
  ).filter(({ at }) => at >= from);
  // Refused reports over plain HTTP are shown only in the list of all applications, because it is not known to which
  // application they belong.
  const plainHttp =
    owner === null && monitor === null ? context.plainRefusals.all().filter(({ at }) => at >= from) : [];
  return {
    refused: found.slice(0, limit).map(summaryOfRefused),
    more: found.length > limit,
    plainHttp: [...plainHttp],
  };
}

/** The refused reports of one monitor, the newest first. */
export const refusedOf = (context: ViewSource, { applicationId, key }: MonitorRecord): RefusedSummary[] =>
  withUnwritten(
    context,
    context.store.refusedReports.ofMonitor(applicationId, key),
    (row) => row.applicationId === applicationId && row.monitorKey === key,
  ).map(summaryOfRefused);

/**
 * Adds to the stored rows the refused reports that wait in memory until they can be stored (R26). Returns those that
 * are asked for, the newest first.
 */
function withUnwritten(
  { refusals }: ViewSource,
  stored: readonly NewRefused[],
  isAsked: (row: NewRefused) => boolean,
): NewRefused[] {
  const rows = new Map(stored.map((row) => [refusedRowKey(row), row]));
  for (const row of refusals.unwritten()) {
    const { firstAt, times } = rows.get(refusedRowKey(row)) ?? { firstAt: row.firstAt, times: 0 };
    rows.set(refusedRowKey(row), { ...row, firstAt, times: times + row.times });
  }
  return [...rows.values()].filter(isAsked).sort((a, b) => b.at - a.at);
}

const summaryOfRefused = (row: NewRefused): RefusedSummary => ({
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

// The following shows the newest bulk syncs (R29), with what each did.

/** What a sync did, as it is stored. */
export type SyncDetails = Pick<
  SyncSummary,
  "total" | "created" | "updated" | "unchanged" | "removed" | "errors" | "withheld" | "changes" | "withheldKeys"
> & {
  readonly errorList: readonly { readonly key: string; readonly error: string; readonly blocksRemoval: boolean }[];
};

export function listSyncs(
  context: ViewSource,
  { application, monitor, sinceSeconds, limit }: ReceivedFilter,
  now: Instant,
): SyncList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const from = listedSince(sinceSeconds, now);
  const found = context.store.syncs
    .newest(owner?.id ?? null, monitor === null ? limit + 1 : SYNCS_SEARCHED_MAX)
    .filter(({ at }) => at >= from)
    .map((row) => ({ ...row, outcome: JSON.parse(row.outcome) as SyncDetails }))
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

const isAbout = ({ changes, withheldKeys, errorList }: SyncDetails, monitor: string): boolean =>
  [...changes, ...errorList].some(({ key }) => key === monitor) || withheldKeys.includes(monitor);

// The filter of the lists of refused reports, syncs, deliveries and incidents.

export interface ReceivedFilter {
  /** The slug of the application; `null` means all applications. */
  readonly application: string | null;
  /** Only what is about the monitor with this key; `null` means all. */
  readonly monitor: string | null;
  /** How far back the list goes, in seconds; `null` means all that is stored. */
  readonly sinceSeconds: number | null;
  readonly limit: number;
}

/**
 * How many of the newest syncs a list reads to find those about one monitor. For one application these are all its
 * syncs, because only 500 of an application are stored.
 */
const SYNCS_SEARCHED_MAX = 10_000;

/** The instant from which on rows are listed. Without `sinceSeconds` it lies before all rows. */
export const listedSince = (sinceSeconds: number | null, now: Instant): Instant =>
  sinceSeconds === null ? Number.NEGATIVE_INFINITY : now - sinceSeconds * SECOND;
