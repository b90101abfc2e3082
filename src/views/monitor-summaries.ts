// Monitors as lists show them, in pages. Each page takes a constant number of queries. A list is a generator of pages,
// so that other work can run between two pages.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { KEEP_DELETED } from "../domain/limits.ts";
import { type Status, statusOf } from "../domain/monitor/monitor.ts";
import { dueTimesOf } from "../domain/monitor/window.ts";
import { plannedUntil } from "../domain/schedule/planned.ts";
import {
  drillEveryOf,
  labelsOf,
  type MonitorPolicy,
  monitorName,
  monitorPolicy,
  type Policy,
} from "../domain/settings/policy.ts";
import { watchedOf } from "../domain/settings/settings.ts";
import { targetMatcherOf } from "../domain/settings/targets.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorOutline, MonitorPlace, PlacedMonitor } from "../store/monitor-pages.ts";
import { outlinedLabels, policyOfOutline } from "./completed-monitors.ts";
import { findListed } from "./find-named.ts";
import type { DeletedList, MonitorList, MonitorSummary } from "./schemas/monitor-schemas.ts";
import type { MonitorReads, ViewSource } from "./view-source.ts";

/** How many monitors a page has. Reading them takes some milliseconds. */
export const PAGE = 250;

export interface MonitorFilter {
  /** The application whose monitors are listed; `null` means all applications. */
  readonly application: string | null;
  /** The status of the monitors that are listed; `null` means any status. */
  readonly status: Status | null;
  /** Only monitors that this key, pattern or label (`label:db`) names; `null` or absent means all. */
  readonly pattern?: string | null;
}

export interface MonitorPage {
  readonly list: MonitorList;
  /** The last monitor of this page, after which the next page begins; `null` when this was the last page. */
  readonly next: MonitorPlace | null;
}

/**
 * Reads the next `limit` monitors after `place`, sorted by application and key, and lists those that the filter
 * accepts. A monitor that cannot be read is named in `unreadable`.
 */
export function pageOfMonitors(
  { store, policy }: MonitorReads,
  { application, status, pattern = null }: MonitorFilter,
  place: MonitorPlace | null,
  now: Instant,
  limit = PAGE,
): MonitorPage {
  const listed = store.monitorPages.after(application, place, limit);
  const outlines = store.monitorPages.outlines(listed.map(({ id }) => id)).filter(({ readable }) => readable);
  const readable = new Set(outlines.map(({ id }) => id));
  const reaches = targetMatcherOf(pattern === null ? [] : [pattern]);
  const monitors = outlines
    .filter((outline) => reaches(outline.key, outlinedLabels(policy, outline)))
    .map((outline) => monitorSummary(policy, outline, now));
  return {
    list: {
      monitors: status === null ? monitors : monitors.filter((monitor) => monitor.status === status),
      unreadable: listed
        .filter(({ id, key }) => !readable.has(id) && reaches(key, null))
        .map(({ application, key }) => ({ application, key })),
    },
    next: listed.length < limit ? null : listed.at(-1)!,
  };
}

/**
 * Lists all monitors that the filter accepts, a page at a time: it yields each page but the last, and returns the last.
 * Each page is read when it is asked for.
 */
export function pagesOfMonitors(
  context: MonitorReads,
  filter: MonitorFilter,
  now: Instant,
): Generator<MonitorList, MonitorList, void> | Refusal {
  const owner = findListed(context, filter.application);
  if (isRefusal(owner)) return owner;

  function* pages(): Generator<MonitorList, MonitorList, void> {
    for (let place: MonitorPlace | null = null; ; ) {
      const { list, next }: MonitorPage = pageOfMonitors(context, filter, place, now);
      if (next === null) return list;
      yield list;
      place = next;
    }
  }
  return pages();
}

/**
 * Calls `take` with all monitors, one page in each step, sorted by application and key. Damaged monitors are among
 * them, because their facts are not read here.
 */
export function* eachMonitorPage(
  { monitorPages }: MonitorReads["store"],
  application: string | null,
  take: (listed: readonly PlacedMonitor[]) => void,
  atOnce = PAGE,
): InPieces<void> {
  for (let place: MonitorPlace | null = null; ; ) {
    const listed: readonly PlacedMonitor[] = monitorPages.after(application, place, atOnce);
    take(listed);
    if (listed.length < atOnce) return;
    place = listed.at(-1)!;
    yield;
  }
}

/** The summary of the monitor with this id, which must exist and have its row of facts. */
export const summaryById = ({ store, policy }: MonitorReads, id: number, now: Instant): MonitorSummary =>
  monitorSummary(policy, store.monitorPages.outlines([id])[0]!, now);

/** Why the monitor is paused, and who asked for the pause or planned the maintenance. */
export function pausesIn({ planned }: MonitorPolicy, outline: MonitorOutline): MonitorSummary["pauses"] {
  const { pauseAsked, pauses } = outline;
  const { manual, ...others } = pauses;
  if (manual === null) return { ...others, manual };
  const plan = manual.until === null || pauseAsked !== null ? null : plannedUntil(planned, manual.until);
  const asked = pauseAsked === null ? plan : { ...pauseAsked, by: pauseAsked.name };
  if (asked === null) return { ...others, manual: { ...manual, asked } };
  const { at, by, reason } = asked;
  return { ...others, manual: { ...manual, asked: { at, by, reason, planned: pauseAsked === null } } };
}

export function monitorSummary(whole: Policy, outline: MonitorOutline, now: Instant): MonitorSummary {
  const policy = policyOfOutline(whole, outline);
  return {
    application: outline.application,
    key: outline.key,
    name: monitorName(policy, { name: outline.declaredName }),
    status: statusOf(outline, now),
    ...watchedOf(outline),
    labels: labelsOf(policy),
    expectedAt: outline.expectedAt,
    ...dueTimesOf(outline, now),
    lastPingAt: outline.receivedAt,
    lastSuccessAt: outline.succeededAt,
    lastFailureAt: outline.failedAt,
    pauses: pausesIn(policy, outline),
    incidentId: outline.incident,
    createdAt: outline.createdAt,
    updatedAt: outline.updatedAt,
  };
}

// The following lists the deleted monitors that can be brought back (R25): they were deleted so recently that their
// history still exists.

/**
 * Lists the deleted monitors, the one deleted last first. Of several monitors with the same key, only the last is
 * listed, because only that one can be brought back.
 */
export function listDeleted(
  context: ViewSource,
  { application, limit }: { readonly application: string | null; readonly limit: number },
  now: Instant,
): DeletedList | Refusal {
  const owner = findListed(context, application);
  if (isRefusal(owner)) return owner;
  const { store, policy } = context;
  const found = store.deletedMonitors.newest(owner?.id ?? null, now - KEEP_DELETED, limit + 1);
  return {
    deleted: found.slice(0, limit).map(({ application: slug, applicationId, key, declaredName, deletedAt }) => ({
      application: slug,
      key,
      name: monitorName(monitorPolicy(policy, slug, key), { name: declaredName }),
      deletedAt,
      historyUntil: deletedAt + KEEP_DELETED,
      keyIsTaken: store.monitors.find(applicationId, key) !== null,
    })),
    more: found.length > limit,
  };
}

// The following reads the sync status: all monitors of an application except drill monitors. First it reads their ids,
// then their facts page by page, both in pieces. So the pages have as many monitors as `total` says, even if monitors
// come and go meanwhile.

/** How many ids are read in one piece. A page of ids and names takes only a tenth of the time of a page of monitors. */
const IDS_AT_ONCE = 10 * PAGE;

export interface SyncStatus {
  readonly application: string;
  /** When the reading began. The monitors' facts are of this instant or newer. */
  readonly at: Instant;
  /** How many monitors the pages contain. */
  readonly total: number;
  /**
   * The pages, sorted by key. Each page is read when it is asked for, and includes monitors that were deleted since
   * `at`.
   */
  readonly pages: IterableIterator<readonly MonitorSummary[]>;
}

export function* syncStatus({ store, policy }: MonitorReads, application: string, now: Instant): InPieces<SyncStatus> {
  const ids: number[] = [];
  const note = (listed: readonly PlacedMonitor[]): void => {
    for (const { id, key, hasFacts } of listed) {
      if (hasFacts === 1 && drillEveryOf(monitorPolicy(policy, application, key)) === null) ids.push(id);
    }
  };
  // Fewer than `IDS_AT_ONCE` ids are read without a yield. So with few monitors the whole response is one piece, and
  // its length is known.
  yield* eachMonitorPage(store, application, note, IDS_AT_ONCE);
  return { application, at: now, total: ids.length, pages: pagesOf({ store, policy }, ids, now) };
}

function* pagesOf({ store, policy }: MonitorReads, ids: readonly number[], now: Instant) {
  for (let from = 0; from < ids.length; from += PAGE) {
    const outlines = store.monitorPages.outlines(ids.slice(from, from + PAGE));
    yield outlines.map((outline) => monitorSummary(policy, outline, now));
  }
}
