// What operators look at and do, each in one transaction that the engine gives. What a change means is the domain's
// decision; nothing is decided, sent or armed here.

import type { Instant } from "../../domain/time.ts";
import type { Clock } from "../api.ts";
import { listRejected } from "../intake/refused-report.ts";
import { listDeliveries, showDelivery } from "../reads/look-deliveries.ts";
import { bearingsAt, listApplications, listMonitors, showMonitor } from "../reads/look-monitors.ts";
import { listSyncs } from "../reads/sync-history.ts";
import type { EngineContext } from "../record.ts";
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
  readonly context: EngineContext;
  readonly operate: Operate;
  /** Commits the waiting batch. */
  readonly flush: () => void;
  readonly clock: Clock;
}

export function createOperators({ context, operate, flush, clock }: OperatorsParts): Operators {
  /** Without a transaction, so that one can look when nothing can be stored (R36). */
  const look = <Answer>(read: (now: Instant) => Answer): Answer => {
    flush();
    return read(clock.now());
  };
  return {
    bearings: () => bearingsAt(context, clock.now()),
    listApplications: () => look(() => listApplications(context)),
    listMonitors: (application, status) => look((now) => listMonitors(context, application, status, now)),
    showMonitor: (monitor) => look((now) => showMonitor(context, monitor, now)),
    createMonitor: (monitor) => operate((now) => createMonitor(context, monitor, now)),
    pauseMonitor: (monitor, seconds) => operate((now) => pauseMonitor(context, monitor, seconds, now)),
    resumeMonitor: (monitor) => operate((now) => resumeMonitor(context, monitor, now)),
    deleteMonitor: (monitor) => operate((now) => deleteMonitor(context, monitor, now)),
    listIncidents: (filter) => look(() => listIncidents(context, filter)),
    acknowledgeIncident: (id) => operate((now) => acknowledgeIncident(context, id, now)),
    resolveIncident: (id) => operate((now) => resolveIncident(context, id, now)),
    listRejected: (filter) => look(() => listRejected(context, filter)),
    listSyncs: (filter) => look(() => listSyncs(context, filter)),
    testDestination: (destination) => operate((now) => testDestination(context, destination, now)),
    listDeliveries: (filter) => look((now) => listDeliveries(context, filter, now)),
    showDelivery: (id) => look(() => showDelivery(context, id)),
    resendDelivery: (id) => operate((now) => resendDelivery(context, id, now)),
  };
}
