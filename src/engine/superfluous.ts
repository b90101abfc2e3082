// What need not be told any more, or not again (R38): to who hears only later of what no one has acknowledged, and of a
// job that fails again and again. In the transaction that decides it.

import type { Alert, AlertKind } from "../domain/message/alert.ts";
import type { Pauses } from "../domain/monitor/monitor.ts";
import type { Transition } from "../domain/monitor/transition.ts";
import {
  type Flapping,
  isSameTrouble,
  SERIES_MAX,
  seriesOf,
  unansweredSince,
  WELL_FOR,
} from "../domain/settings/flapping.ts";
import { type Route, severityOf } from "../domain/settings/policy.ts";
import {
  type AlertRoute,
  heardBy,
  isCalledForWhatStands,
  isDamped,
  isHeardLater,
  isOpening,
  routesOf,
} from "../domain/settings/routes.ts";
import type { Instant } from "../domain/time.ts";
import { enqueueDeliveries, type NewDeliveries, takeBack } from "../store/deliveries.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";
import type { EngineContext } from "./context.ts";

/** Why those who were to hear of an incident need not any more: it is over, or a person has taken it on. */
const ANSWERS: Partial<Record<AlertKind, string>> = {
  Acknowledged: "acknowledged before this was due",
  Recovered: "it was over before this was due",
};

/** Returns whether the notifier has something to look at that no alert announces. */
export function answer(
  { deliveries }: EngineContext,
  { id: monitorId, policy }: MonitorRecord,
  kind: AlertKind,
  incidentId: number,
  at: Instant,
): boolean {
  const why = ANSWERS[kind];
  if (why === undefined) return false;
  const isUnwanted = (destination: string, since: Instant) => isCalledForWhatStands(policy, destination, since);
  return takeBack(deliveries, { monitorId, incidentId, at, answer: why }, isUnwanted);
}

/** A person asked for quiet: those who hear later need not hear of it now. */
const isQuiet = ({ manual, suspension }: Pauses): boolean => manual !== null || suspension;

/**
 * A pause by hand takes back what is to be heard later; its end tells that again, as if the trouble began then. Returns
 * whether the notifier has something to look at that no alert announces.
 */
export function heedPause(
  context: EngineContext,
  { id: monitorId, policy, monitor: before }: MonitorRecord,
  { incident, pauses }: Transition["monitor"],
  incidentId: number | null,
  at: Instant,
): boolean {
  if (isQuiet(pauses) === isQuiet(before.pauses)) return false;
  if (incidentId === null || incident?.acknowledgedAt != null) return false;
  const { store, deliveries } = context;
  if (isQuiet(pauses)) {
    const isLater = (destination: string, since: Instant): boolean => isHeardLater(policy, destination, since);
    return takeBack(deliveries, { monitorId, incidentId, at, answer: PAUSED }, isLater);
  }
  const opening = store.alerts.openingOf(incidentId);
  if (opening === null) return false;
  // What the pause took back comes again, whatever a reload has made of `after` meanwhile, and nothing else does.
  const takenBack = new Set(deliveries.takenBackOf.all({ alertId: opening.id, answer: PAUSED }).map(addressOf));
  const known = [
    ...deliveries.routesOf.all({ incidentId, at }),
    ...deliveries.heldOf.all({ monitorId, incidentId, at }),
  ];
  for (const one of known) takenBack.delete(addressOf(one));
  const heardFrom = heardBy(policy.whole);
  const heard = { kind: opening.kind, severity: severityOf(policy) };
  const routes = routesOf(policy, opening.kind, null)
    .filter((route) => takenBack.has(addressOf(route)))
    .map((route) => ({ ...route, from: heardFrom(route.destination, heard, at) }))
    .map(({ from, ...route }) => (from === at ? route : { ...route, notBefore: from }));
  enqueueDeliveries(deliveries, { alertId: opening.id, incidentId, monitorId, routes, at });
  return true;
}

const PAUSED = "the job was paused before this was due";

const addressOf = ({ destination, recipient }: Route): string => `${destination} ${recipient ?? ""}`;

/**
 * From when on the time counts after which an opening is heard later: from the first failure of its series that no
 * person has dealt with, or else a job that fails for 15 of every 19 minutes would never reach who hears after 20. The
 * end of a pause by hand begins it anew.
 */
export function troubleSince(
  { store }: EngineContext,
  { id, monitor: before }: MonitorRecord,
  { incident }: Alert,
  now: Instant,
): Instant {
  if (incident.number < 2 || isQuiet(before.pauses)) return now;
  return unansweredSince(store.incidents.lately(id, incident.number, SERIES_MAX)) ?? now;
}

/** The failures that a success ends, if they were several in short time; null: they were not. */
export function seriesEndedBy(
  { store }: EngineContext,
  { id }: MonitorRecord,
  { reason, incident }: Alert,
): Flapping | null {
  if (reason !== "success" || incident.number < 2) return null;
  return seriesOf(store.incidents.lately(id, incident.number, SERIES_MAX));
}

/**
 * Where an incident that opens is told: not where the end of the one before waits and that was the same trouble. Who
 * heard that it failed still knows the truth, also if the week is another's by now. `joined`: the one before, if so
 * anywhere.
 */
export function withoutJoined(
  { store, deliveries }: EngineContext,
  { id: monitorId, policy }: MonitorRecord,
  { kind, cause, incident }: Alert,
  {
    routes,
    at,
    alertId,
    incidentId,
  }: Pick<NewDeliveries, "routes" | "at" | "alertId"> & { readonly incidentId: number },
): Readonly<{ routes: readonly AlertRoute[]; joined: number | null }> {
  const before =
    isOpening(kind) && incident.number > 2 ? store.incidents.lately(monitorId, incident.number - 1, 1)[0] : undefined;
  if (before === undefined) return { routes, joined: null };
  let joined: number | null = null;
  /** `isOther`: of who is not told now, as the week is another's. */
  const isNews = ({ destination, recipient, notBefore }: AlertRoute, isOther: boolean): boolean => {
    const place = { monitorId, destination, recipient };
    const waiting = { ...place, incidentId: before.id, at, since: at - WELL_FOR };
    const told = deliveries.toldBy.get({ destination, recipient, incidentId: before.id });
    const severity = severityOf(policy);
    const isSame =
      told && (isOther || isSameTrouble({ severity: told.severity ?? "error", ...before }, { cause, severity }));
    // Other trouble may be over before it is due there: then nothing else would tell the end of this.
    if (!isSame && notBefore !== undefined && isHeardLater(policy, destination, at)) {
      deliveries.hastenRecovery.run({ ...waiting, until: notBefore });
      return true;
    }
    if (deliveries.dropRecovery.get({ ...waiting, answer: FAILED_AGAIN }) === null || !isSame) return true;
    deliveries.insertNotSent.run({ ...place, alertId, incidentId, at, answer: KNOWN, toldBy: told.id });
    joined = before.id;
    return false;
  };
  const addresses = new Set(routes.map(addressOf));
  for (const held of deliveries.heldOf.all({ monitorId, incidentId: before.id, at }))
    if (!addresses.has(addressOf(held)) && isDamped(policy.whole, held.destination)) isNews(held, true);
  // Machines hear of each failure and of each end.
  const fresh = routes.filter((route) => !isDamped(policy.whole, route.destination) || isNews(route, false));
  return { routes: fresh, joined };
}

const FAILED_AGAIN = "it failed again within 15 minutes";
const KNOWN = "the message of the failure before is for this one too, as no recovery was told";
