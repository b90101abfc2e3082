// What operators look at and do, each in one transaction that the engine gives. What a change means is the domain's
// decision; nothing is decided, sent or armed here.

import type { Instant } from "../domain/time.ts";
import { deleteMonitor } from "./delete-monitor.ts";
import { listDeliveries, showDelivery } from "./look-deliveries.ts";
import { listApplications, listMonitors, showMonitor } from "./look-monitors.ts";
import { resendDelivery, testDestination } from "./operate-deliveries.ts";
import { acknowledgeIncident, listIncidents, resolveIncident } from "./operate-incidents.ts";
import { createMonitor, type Operated, pauseMonitor, resumeMonitor, unchanged } from "./operate-monitors.ts";
import type { Operators } from "./operators-contract.ts";
import type { Desk } from "./record.ts";
import { listRejected } from "./refused-report.ts";
import { listSyncs } from "./sync-history.ts";

/**
 * Commits the waiting batch, runs this once in a transaction of its own, at the present moment, and sees to what it left
 * to do. When anything throws, nothing of it is kept and the error goes on.
 */
export type Operate = <Answer>(run: (now: Instant) => Operated<Answer>) => Answer;

export function createOperators(desk: Desk, operate: Operate): Operators {
  return {
    listApplications: () => operate(() => unchanged(listApplications(desk))),
    listMonitors: (application, status) => operate((now) => unchanged(listMonitors(desk, application, status, now))),
    showMonitor: (monitor) => operate((now) => unchanged(showMonitor(desk, monitor, now))),
    createMonitor: (monitor) => operate((now) => createMonitor(desk, monitor, now)),
    pauseMonitor: (monitor, seconds) => operate((now) => pauseMonitor(desk, monitor, seconds, now)),
    resumeMonitor: (monitor) => operate((now) => resumeMonitor(desk, monitor, now)),
    deleteMonitor: (monitor) => operate((now) => deleteMonitor(desk, monitor, now)),
    listIncidents: (filter) => operate(() => unchanged(listIncidents(desk, filter))),
    acknowledgeIncident: (id) => operate((now) => acknowledgeIncident(desk, id, now)),
    resolveIncident: (id) => operate((now) => resolveIncident(desk, id, now)),
    listRejected: (filter) => operate(() => unchanged(listRejected(desk, filter))),
    listSyncs: (filter) => operate(() => unchanged(listSyncs(desk, filter))),
    testDestination: (destination) => operate((now) => testDestination(desk, destination, now)),
    listDeliveries: (filter) => operate((now) => unchanged(listDeliveries(desk, filter, now))),
    showDelivery: (id) => operate(() => unchanged(showDelivery(desk, id))),
    resendDelivery: (id) => operate((now) => resendDelivery(desk, id, now)),
  };
}
