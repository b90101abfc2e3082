// What operators do to incidents: acknowledge and resolve them (R23). Each runs inside a transaction, and answers what is
// left to do once that has committed.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { statusOf } from "../../domain/monitor/monitor.ts";
import type { Signal } from "../../domain/monitor/transition.ts";
import { type Actor, nameOfActor } from "../../domain/people/person.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import type { IncidentRecord } from "../../store/incidents.ts";
import type { EngineContext } from "../context.ts";
import { loadMonitor } from "../monitor-records.ts";
import { incidentSummaryOf } from "../reads/look-incidents.ts";
import { applySignals } from "../record.ts";
import type { ChangedIncident } from "./answers/incidents.ts";
import { type About, type Operated, unchanged } from "./operation.ts";

interface OneIncident {
  readonly id: number;
}

export function acknowledgeIncident(
  context: EngineContext,
  { id }: OneIncident,
  now: Instant,
  by: Actor,
): Operated<ChangedIncident | Refusal> {
  const found = findIncident(context, id);
  if (isRefusal(found)) return unchanged(found);
  const { acknowledgedAt, closedAt } = found.incident;
  if (closedAt !== null) {
    const message = `id: incident ${id} is closed since ${toIso(closedAt)}, there is nothing to acknowledge`;
    return unchanged(refuse("INVALID_REQUEST", message));
  }
  return acknowledgedAt === null
    ? change(context, found, { kind: "acknowledge", by: nameOfActor(by) }, now)
    : asItWas(context, found, now);
}

export function resolveIncident(
  context: EngineContext,
  { id }: OneIncident,
  now: Instant,
): Operated<ChangedIncident | Refusal> {
  const found = findIncident(context, id);
  if (isRefusal(found)) return unchanged(found);
  return found.incident.closedAt === null
    ? change(context, found, { kind: "resolve" }, now)
    : asItWas(context, found, now);
}

export function aboutIncident({ store }: EngineContext, { id }: OneIncident): About | null {
  const found = store.incidents.find(id);
  return found === null ? null : { application: found.application, monitorKey: found.key };
}

const findIncident = ({ store }: EngineContext, id: number): IncidentRecord | Refusal =>
  store.incidents.find(id) ??
  refuse("NOT_FOUND", `id: there is no incident ${id}; \`rollcall incident list\` shows them`);

/** An incident that is not closed is its monitor's open one. */
function change(
  context: EngineContext,
  { id, monitorId }: IncidentRecord,
  signal: Signal,
  now: Instant,
): Operated<ChangedIncident> {
  const { store } = context;
  const before = loadMonitor(context, monitorId)!;
  const { monitor, afterCommit } = applySignals(context, before, [signal], now);
  const incident = incidentSummaryOf(context, store.incidents.find(id)!);
  return { answer: { changed: true, incident, status: statusOf(monitor, now) }, afterCommit };
}

function asItWas(context: EngineContext, found: IncidentRecord, now: Instant): Operated<ChangedIncident> {
  const { monitor } = loadMonitor(context, found.monitorId)!;
  const incident = incidentSummaryOf(context, found);
  return unchanged({ changed: false, incident, status: statusOf(monitor, now) });
}
