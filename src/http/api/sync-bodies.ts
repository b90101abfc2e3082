// Makes the JSON bodies of the responses to bulk sync and to sync status, as the contract describes them.

import Type from "typebox";
import type { InPieces } from "../../domain/in-pieces.ts";
import { MONITOR_KEY_LENGTH, NAME_LENGTH } from "../../domain/limits.ts";
import { STATUSES, type Status } from "../../domain/monitor/monitor.ts";
import { durationText, toIso, toIsoOrNull } from "../../domain/time.ts";
import type { SyncError, Synced, SyncReport } from "../../engine/api.ts";
import type { SyncStatus } from "../../views/monitor-summaries.ts";
import type { MonitorSummary } from "../../views/schemas/monitor-schemas.ts";
import { countShape, instantShape, nullableShape, oneOfShape, responseBodyShape } from "../json-shapes.ts";
import type { Pieces } from "../respond-in-pieces.ts";

const ACTION = oneOfShape(["created", "created_plan_limited", "updated", "unchanged", "paused_removed"]);
const SYNCED = Type.Array(Type.Object({ key: Type.String(), name: Type.String(), action: ACTION }));
const ERRORS = Type.Array(Type.Object({ key: Type.String(), error: Type.String() }));

/**
 * What a sync did. Its `warning` says that the declared jobs call for more reports than the rate limit takes; `null`
 * when they do not.
 */
export type WarnedSync = SyncReport & Readonly<{ warning: string | null }>;

const WARNING = Type.Optional(
  Type.String({ description: "The declared jobs call for more reports than the rate limit takes (R33)." }),
);

const warned = ({ warning }: Pick<WarnedSync, "warning">): { warning?: string } =>
  warning === null ? {} : { warning };

/**
 * The body in version 1, which lists each monitor. A monitor that the paid plan's limit pauses is in both `created` and
 * `errors` (R29).
 */
export const syncedInFull = responseBodyShape(
  Type.Object({
    source: Type.String(),
    timestamp: instantShape(),
    created: SYNCED,
    updated: SYNCED,
    unchanged: SYNCED,
    removed: SYNCED,
    errors: ERRORS,
    summary: Type.Object({
      total: countShape(),
      created: countShape(),
      updated: countShape(),
      unchanged: countShape(),
      removed: countShape(),
      errors: countShape(),
    }),
    warning: WARNING,
  }),
)((report: WarnedSync) => {
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
  return { source, timestamp: toIso(at), created, updated, unchanged, removed, errors, summary, ...warned(report) };
});

const KEPT_NAMED = 5;

/**
 * Returns the words of an error. If the error kept monitors from being withdrawn, the words name at most five of them.
 * A person must learn that a monitor without a job is still watched (R29).
 */
function inFull({ error, blocksRemoval }: SyncError, withheld: readonly string[]): string {
  if (!blocksRemoval || withheld.length === 0) return error;
  const named = withheld.slice(0, KEPT_NAMED).map((key) => JSON.stringify(key));
  const more = withheld.length > named.length ? ` and ${withheld.length - named.length} more` : "";
  return `${error}; because of this nothing was withdrawn, still watched: ${named.join(", ")}${more}`;
}

/** The body at the unversioned path, with counts only. `synced` counts the entries without a fault (R29). */
export const syncedInShort = responseBodyShape(
  Type.Object({
    status: oneOfShape(["success", "partial"]),
    synced: countShape(),
    created: countShape(),
    updated: countShape(),
    errors: ERRORS,
    warning: WARNING,
  }),
)(({ synced, errors, total, faults, ...report }: WarnedSync) => ({
  status: errors.length === 0 ? "success" : "partial",
  synced: total - faults,
  created: synced.filter(isCreated).length,
  updated: synced.filter(did("updated")).length,
  errors: errors.map(({ key, error }) => ({ key, error })),
  ...warned(report),
}));

const isCreated = ({ action }: Synced): boolean => action === "created" || action === "created_plan_limited";

const did =
  (action: Synced["action"]) =>
  (synced: Synced): boolean =>
    synced.action === action;

const MEANINGS: Readonly<Record<Status, string>> = {
  pending: "no success yet",
  healthy: "all is well",
  warning: "something is late or was tolerated",
  critical: "an incident is open",
  paused: "nothing is expected",
};

const STATUS = oneOfShape(STATUSES, {
  description: STATUSES.map((status) => `\`${status}\`: ${MEANINGS[status]}`).join("; "),
});

const monitorStatus = responseBodyShape(
  Type.Object({
    monitorKey: Type.String({ minLength: 1, maxLength: MONITOR_KEY_LENGTH }),
    name: Type.String({ maxLength: NAME_LENGTH }),
    schedule: nullableShape(
      Type.String({ description: "Null: it has an interval instead, or no report is ever expected." }),
    ),
    every: Type.Optional(Type.String({ description: "The interval of a monitor that has one instead of a schedule." })),
    gracePeriod: countShape({ description: "Seconds." }),
    createdAt: instantShape(),
    updatedAt: instantShape(),
    lastPingAt: nullableShape(instantShape("The last report of any kind; null before the first.")),
    status: STATUS,
  }),
)((monitor: MonitorSummary) => ({
  monitorKey: monitor.key,
  name: monitor.name,
  schedule: monitor.schedule,
  ...(monitor.everySeconds === null ? {} : { every: durationText(monitor.everySeconds) }),
  gracePeriod: monitor.graceSeconds,
  createdAt: toIso(monitor.createdAt),
  updatedAt: toIso(monitor.updatedAt),
  lastPingAt: toIsoOrNull(monitor.lastPingAt),
  status: monitor.status,
}));

/** The body of sync status, still without its monitors: `syncStatusInPieces` inserts them page by page (R4, R42). */
export const syncStatus = responseBodyShape(
  Type.Object({
    applicationId: Type.String({ minLength: 1 }),
    totalMonitors: countShape(),
    monitors: Type.Array(monitorStatus.schema),
    timestamp: instantShape(),
  }),
)(({ application, at, total }: SyncStatus) => ({
  applicationId: application,
  totalMonitors: total,
  monitors: [],
  timestamp: toIso(at),
}));

/** Makes the body of sync status as text, with one page of monitors in each piece. */
export function* syncStatusInPieces(counting: InPieces<SyncStatus>): Pieces {
  let counted = counting.next();
  for (; !counted.done; counted = counting.next()) yield "";
  const frame = JSON.stringify(syncStatus.of(counted.value));
  // After the list of monitors comes only an instant, so the last bracket ends the list.
  const listEnds = frame.lastIndexOf("]");
  let piece = frame.slice(0, listEnds);
  let isFirst = true;
  for (const page of counted.value.pages) {
    if (!isFirst) {
      yield piece;
      piece = ",";
    }
    isFirst = false;
    piece += JSON.stringify(page.map(monitorStatus.of)).slice(1, -1);
  }
  return piece + frame.slice(listEnds);
}
