// Who hears only later, of what no one has acknowledged (R38): what ends that, and what begins it again. In the
// transaction that decides it.

import type { AlertKind } from "../domain/message/alert.ts";
import type { Pauses } from "../domain/monitor/monitor.ts";
import type { Transition } from "../domain/monitor/transition.ts";
import type { Route } from "../domain/settings/policy.ts";
import { alertRoutesOf, laterDestinations } from "../domain/settings/routes.ts";
import type { Instant } from "../domain/time.ts";
import { enqueueDeliveries, takeBack } from "../store/deliveries.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";
import type { EngineContext } from "./context.ts";

/** Why those who were to hear of an incident need not any more: it is over, or a person has taken it on. */
const ANSWERS: Partial<Record<AlertKind, string>> = {
  Acknowledged: "acknowledged before this was due",
  Recovered: "it was over before this was due",
};

export function answer(
  { deliveries }: EngineContext,
  { id: monitorId, policy }: MonitorRecord,
  kind: AlertKind,
  incidentId: number,
  at: Instant,
): void {
  const why = ANSWERS[kind];
  if (why !== undefined)
    takeBack(deliveries, { monitorId, incidentId, at, answer: why }, laterDestinations(policy.whole));
}

/** A person asked for quiet: those who hear later need not hear of it now. */
const isQuiet = ({ manual, suspension }: Pauses): boolean => manual !== null || suspension;

/** A pause by hand takes back what is to be heard later; its end tells that again, as if the trouble began then. */
export function heedPause(
  context: EngineContext,
  { id: monitorId, policy, heads, monitor: before }: MonitorRecord,
  { incident, pauses }: Transition["monitor"],
  incidentId: number | null,
  at: Instant,
): void {
  if (isQuiet(pauses) === isQuiet(before.pauses)) return;
  // One that has opened since is told as the pause allows.
  if (incidentId === null || incidentId !== heads.openIncidentId || incident?.acknowledgedAt != null) return;
  const later = laterDestinations(policy.whole);
  if (later.length === 0) return;
  const { store, deliveries } = context;
  const answer = "the job was paused before this was due";
  if (isQuiet(pauses)) return takeBack(deliveries, { monitorId, incidentId, at, answer }, later);
  const opening = store.alerts.openingOf(incidentId);
  if (opening === null) return;
  const told = new Set(deliveries.routesOf.all({ incidentId }).map(addressOf));
  const all = alertRoutesOf(policy, { kind: opening.kind, reason: "opened" }, at, () => []) ?? [];
  const routes = all.filter((route) => later.includes(route.destination) && !told.has(addressOf(route)));
  enqueueDeliveries(deliveries, { alertId: opening.id, incidentId, monitorId, routes, at });
}

const addressOf = ({ destination, recipient }: Route): string => `${destination} ${recipient ?? ""}`;
