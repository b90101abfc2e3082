// Converts a monitor's facts to a row of `monitor_states` and back. Each field of `Monitor` (domain/monitor/monitor.ts)
// has a column, except its settings, `createdAt`, runs and incident, which are in other rows. Facts that are saved and
// loaded again are equal.

import type { Incident } from "../domain/monitor/incident.ts";
import type { LastSuccess, MonitorFacts, Pauses } from "../domain/monitor/monitor.ts";
import { NO_DRIFT, NOTHING_CARRIED } from "../domain/monitor/monitor.ts";
import type { Run } from "../domain/monitor/run.ts";
import type { Instant } from "../domain/time.ts";
import type { monitorStates } from "./schema.ts";
import { type Stored, toBit } from "./sql.ts";

export type StateRow = Stored<typeof monitorStates>;

export type Heads = Readonly<
  Pick<StateRow, "pingCount" | "lastPingId" | "lastFailurePingId" | "runsThatMatter" | "openIncidentId">
>;

export const NO_HEADS: Heads = {
  pingCount: 0,
  lastPingId: null,
  lastFailurePingId: null,
  runsThatMatter: 0,
  openIncidentId: null,
};

export const toState = (monitorId: number, monitor: MonitorFacts, heads: Heads, wakeAt: Instant | null): StateRow => ({
  monitorId,
  changedAt: monitor.changedAt,
  receivedAt: monitor.receivedAt,
  succeededAt: monitor.succeededAt,
  failedAt: monitor.failedAt,
  expectedAt: monitor.expectedAt,
  carried: monitor.carried.length === 0 ? null : JSON.stringify(monitor.carried),
  wakeAt,
  excusedBy: monitor.excusedBy,
  unheard: toBit(monitor.unheard),
  succeededAfterMs: monitor.lastSuccess?.afterSlotMs ?? null,
  startedAfterMs: monitor.lastSuccess?.startAfterSlotMs ?? null,
  misses: monitor.misses,
  failures: monitor.failures,
  warned: toBit(monitor.warned),
  pausedManually: toBit(monitor.pauses.manual !== null),
  pausedUntil: monitor.pauses.manual?.until ?? null,
  pausedByDiscovery: toBit(monitor.pauses.discovery),
  pausedByPlan: toBit(monitor.pauses.plan),
  pausedBySuspension: toBit(monitor.pauses.suspension),
  pendingFail: toBit(monitor.pendingFail !== null),
  pendingFailMessage: monitor.pendingFail?.message ?? null,
  pendingFailRunId: monitor.pendingFail?.runId ?? null,
  pendingFailAt: monitor.pendingFail?.failedAt ?? null,
  pendingFailHeardAt: monitor.pendingFail?.heardAt ?? null,
  runCount: monitor.runCount,
  runsThatMatter: heads.runsThatMatter,
  lastRunMs: monitor.lastRunMs,
  incidentCount: monitor.incidentCount,
  openIncidentId: heads.openIncidentId,
  pingCount: heads.pingCount,
  lastPingId: heads.lastPingId,
  lastFailurePingId: heads.lastFailurePingId,
  driftMinutes: monitor.drift.minutes,
  driftReports: monitor.drift.reports,
});

export const fromState = (
  row: StateRow,
  createdAt: Instant,
  runs: readonly Run[],
  incident: Incident | null,
): { facts: MonitorFacts; heads: Heads } => ({
  facts: {
    createdAt,
    changedAt: row.changedAt,
    receivedAt: row.receivedAt,
    succeededAt: row.succeededAt,
    failedAt: row.failedAt,
    expectedAt: row.expectedAt,
    carried: row.carried === null ? NOTHING_CARRIED : JSON.parse(row.carried),
    excusedBy: row.excusedBy,
    unheard: row.unheard === 1,
    lastSuccess: lastSuccessFromRow(row),
    misses: row.misses,
    failures: row.failures,
    drift: row.driftReports === 0 ? NO_DRIFT : { minutes: row.driftMinutes, reports: row.driftReports },
    warned: row.warned === 1,
    pauses: pausesFromRow(row),
    pendingFail: pendingFailOf(row),
    runs,
    runCount: row.runCount,
    lastRunMs: row.lastRunMs,
    incident,
    incidentCount: row.incidentCount,
  },
  heads: headsFromRow(row),
});

/**
 * The fail that a manual pause holds back, or `null`. Rows of earlier versions do not say when that fail came; then the
 * time of the last report is taken.
 */
function pendingFailOf({
  pendingFail,
  pendingFailMessage,
  pendingFailRunId,
  pendingFailAt,
  pendingFailHeardAt,
  receivedAt,
  changedAt,
}: StateRow): MonitorFacts["pendingFail"] {
  if (pendingFail === 0) return null;
  const failedAt = pendingFailAt ?? receivedAt ?? changedAt;
  const heardAt = pendingFailHeardAt ?? failedAt;
  return { message: pendingFailMessage, runId: pendingFailRunId, failedAt, heardAt };
}

export const headsFromRow = ({
  pingCount,
  lastPingId,
  lastFailurePingId,
  runsThatMatter,
  openIncidentId,
}: StateRow): Heads => ({ pingCount, lastPingId, lastFailurePingId, runsThatMatter, openIncidentId });

export const PAUSES_COLUMNS = [
  "pausedManually",
  "pausedUntil",
  "pausedByDiscovery",
  "pausedByPlan",
  "pausedBySuspension",
] as const;

export type PausesRow = Pick<StateRow, (typeof PAUSES_COLUMNS)[number]>;

export const lastSuccessFromRow = (row: Pick<StateRow, "succeededAfterMs" | "startedAfterMs">): LastSuccess | null =>
  row.succeededAfterMs === null ? null : { afterSlotMs: row.succeededAfterMs, startAfterSlotMs: row.startedAfterMs };

export const pausesFromRow = (row: PausesRow): Pauses => ({
  manual: row.pausedManually === 1 ? { until: row.pausedUntil } : null,
  discovery: row.pausedByDiscovery === 1,
  plan: row.pausedByPlan === 1,
  suspension: row.pausedBySuspension === 1,
});
