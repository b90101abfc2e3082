// How jobs stand, for programs that show them: what lists and pages show, as JSON has it. Changes nothing.

import { type Instant, toIso } from "../domain/time.ts";
import type { BoardMonitor } from "./board.ts";
import type { MonitorBooks } from "./view-source.ts";

const inIso = (at: Instant | null | undefined): string | null => (at == null ? null : toIso(at));

/** In the order of the monitors. `since`: when the incident opened that is open. */
export function jobStates({ store }: MonitorBooks, monitors: readonly BoardMonitor[]) {
  const open = store.incidents.list(monitors.flatMap(({ incidentId }) => incidentId ?? []));
  const opened = new Map(open.map(({ id, incident }) => [id, incident.openedAt]));
  return monitors.map(({ application, key, name, status, incidentId, ...facts }) => ({
    ...{ application, key, name, status, incidentId },
    since: inIso(opened.get(incidentId ?? 0)),
    expectedAt: inIso(facts.expectedAt),
    lateSince: inIso(facts.lateSince),
    nextAt: inIso(facts.nextAt),
    lastPingAt: inIso(facts.lastPingAt),
    lastSuccessAt: inIso(facts.lastSuccessAt),
    lastFailureAt: inIso(facts.lastFailureAt),
  }));
}
