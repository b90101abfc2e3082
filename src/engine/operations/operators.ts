// What operators look at and do, each in one transaction that the engine gives. What a change means is the domain's
// decision; nothing is decided, sent or armed here.

import type { Instant } from "../../domain/time.ts";
import type { Clock } from "../api.ts";
import { listRejected } from "../intake/refused-report.ts";
import { listDeliveries, showDelivery } from "../reads/look-deliveries.ts";
import { bearingsAt, listApplications, listMonitors, showMonitor } from "../reads/look-monitors.ts";
import { listSyncs } from "../reads/sync-history.ts";
import type { Desk } from "../record.ts";
import { deleteMonitor } from "./delete-monitor.ts";
import { resendDelivery, testDestination } from "./operate-deliveries.ts";
import { acknowledgeIncident, listIncidents, resolveIncident } from "./operate-incidents.ts";
import { createMonitor, type Operated, pauseMonitor, resumeMonitor } from "./operate-monitors.ts";
import type { Operators } from "./operators-contract.ts";

/**
 * Commits the waiting batch, runs this once in a transaction of its own, at the present moment, and sees to what it left
 * to do. When anything throws, nothing of it is kept and the error goes on.
 */
export type Operate = <Answer>(run: (now: Instant) => Operated<Answer>) => Answer;

interface OperatorsParts {
  readonly desk: Desk;
  readonly operate: Operate;
  /** Commits the waiting batch. */
  readonly flush: () => void;
  readonly clock: Clock;
}

export function createOperators({ desk, operate, flush, clock }: OperatorsParts): Operators {
  /** Without a transaction, so that one can look when nothing can be stored (R36). */
  const look = <Answer>(read: (now: Instant) => Answer): Answer => {
    flush();
    return read(clock.now());
  };
  return {
    bearings: () => bearingsAt(desk, clock.now()),
    listApplications: () => look(() => listApplications(desk)),
    listMonitors: (application, status) => look((now) => listMonitors(desk, application, status, now)),
    showMonitor: (monitor) => look((now) => showMonitor(desk, monitor, now)),
    createMonitor: (monitor) => operate((now) => createMonitor(desk, monitor, now)),
    pauseMonitor: (monitor, seconds) => operate((now) => pauseMonitor(desk, monitor, seconds, now)),
    resumeMonitor: (monitor) => operate((now) => resumeMonitor(desk, monitor, now)),
    deleteMonitor: (monitor) => operate((now) => deleteMonitor(desk, monitor, now)),
    listIncidents: (filter) => look(() => listIncidents(desk, filter)),
    acknowledgeIncident: (id) => operate((now) => acknowledgeIncident(desk, id, now)),
    resolveIncident: (id) => operate((now) => resolveIncident(desk, id, now)),
    listRejected: (filter) => look(() => listRejected(desk, filter)),
    listSyncs: (filter) => look(() => listSyncs(desk, filter)),
    testDestination: (destination) => operate((now) => testDestination(desk, destination, now)),
    listDeliveries: (filter) => look((now) => listDeliveries(desk, filter, now)),
    showDelivery: (id) => look(() => showDelivery(desk, id)),
    resendDelivery: (id) => operate((now) => resendDelivery(desk, id, now)),
  };
}
