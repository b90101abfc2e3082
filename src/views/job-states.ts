// How jobs stand, as JSON for programs that show jobs. The values are those of lists and pages.

import { type Instant, toIso } from "../domain/time.ts";
import type { BoardMonitor } from "./board.ts";
import type { MonitorReads } from "./view-source.ts";

const inIso = (at: Instant | null | undefined): string | null => (at == null ? null : toIso(at));

/** How these jobs stand, in the order of the monitors. The field `since` of a job is when its open incident opened. */
export function jobStates({ store }: MonitorReads, monitors: readonly BoardMonitor[]) {
  const open = store.incidents.list(monitors.flatMap(({ incidentId }) => incidentId ?? []));
  const opened = new Map(open.map(({ id, incident }) => [id, incident.openedAt]));
  return monitors.map(({ application, key, name, status, incidentId, ...facts }) => ({
    application,
    key,
    name,
    status,
    incidentId,
    since: inIso(opened.get(incidentId ?? 0)),
    expectedAt: inIso(facts.expectedAt),
    lateSince: inIso(facts.lateSince),
    nextAt: inIso(facts.nextAt),
    lastPingAt: inIso(facts.lastPingAt),
    lastSuccessAt: inIso(facts.lastSuccessAt),
    lastFailureAt: inIso(facts.lastFailureAt),
  }));
}
