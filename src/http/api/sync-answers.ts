// How a sync and sync status read as JSON: the two shapes of the contract's "Bulk sync", and "Sync status". Which version
// says which is versions.ts's business.

import { toIso } from "../../domain/time.ts";
import type { SyncError, Synced, SyncReport, SyncStatus } from "../../engine/api.ts";

/** Monitor by monitor; what the plan pauses stands under `created` and under `errors` (R29). */
export function syncedInFull(report: SyncReport): object {
  const { source, at, synced, total } = report;
  const errors = report.errors.map((error) => ({ key: error.key, error: inFull(error, report.withheld) }));
  const created = synced.filter(isCreated);
  const updated = synced.filter(did("updated"));
  const unchanged = synced.filter(did("unchanged"));
  const removed = synced.filter(did("paused_removed"));
  const summary = {
    total,
    created: created.length,
    updated: updated.length,
    unchanged: unchanged.length,
    removed: removed.length,
    errors: errors.length,
  };
  return { source, timestamp: toIso(at), created, updated, unchanged, removed, errors, summary };
}

/** Keys that an error names of those it kept from being withdrawn. */
const KEPT_NAMED = 5;

/** What an error withheld stands with it: a monitor nobody runs any more would else be watched without a word (R29). */
function inFull({ error, blocksRemoval }: SyncError, withheld: readonly string[]): string {
  if (!blocksRemoval || withheld.length === 0) return error;
  const named = withheld.slice(0, KEPT_NAMED).map((key) => JSON.stringify(key));
  const more = withheld.length > named.length ? ` and ${withheld.length - named.length} more` : "";
  return `${error}; because of this nothing was withdrawn, still watched: ${named.join(", ")}${more}`;
}

/** Counts alone; `synced` are those without a fault (R29). */
export const syncedInShort = ({ synced, errors, total, faults }: SyncReport): object => ({
  status: errors.length === 0 ? "success" : "partial",
  synced: total - faults,
  created: synced.filter(isCreated).length,
  updated: synced.filter(did("updated")).length,
  errors: errors.map(({ key, error }) => ({ key, error })),
});

const isCreated = ({ action }: Synced): boolean => action === "created" || action === "created_plan_limited";

const did =
  (action: Synced["action"]) =>
  (synced: Synced): boolean =>
    synced.action === action;

/** R4, R42. Instants that are not known are null. */
export const syncStatusOf = ({ application, at, monitors }: SyncStatus): object => ({
  applicationId: application,
  totalMonitors: monitors.length,
  monitors: monitors.map((monitor) => ({
    monitorKey: monitor.key,
    name: monitor.name,
    schedule: monitor.schedule,
    gracePeriod: monitor.graceSeconds,
    createdAt: toIso(monitor.createdAt),
    updatedAt: toIso(monitor.updatedAt),
    lastPingAt: monitor.lastPingAt === null ? null : toIso(monitor.lastPingAt),
    status: monitor.status,
  })),
  timestamp: toIso(at),
});
