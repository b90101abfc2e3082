// Writes messages that receivers should have but were never sent: they are owed (R38). A destination that is added
// while an incident is open is owed the opening. A destination that was told of trouble is owed the end of that
// trouble. domain/telling/owed.ts decides what is owed.

import type { AlertMessage } from "../domain/message/alert.ts";
import { isAlert, messageFrom } from "../domain/message/message.ts";
import { troubleBegan } from "../domain/monitor/incident.ts";
import { type AlertRoute, alertRoutesOf } from "../domain/settings/alert-routes.ts";
import {
  type MonitorPolicy,
  monitorName,
  monitorPolicy,
  presentationOf,
  type Route,
} from "../domain/settings/policy.ts";
import type { Standing } from "../domain/telling/lane.ts";
import { standingOf } from "../domain/telling/lane.ts";
import { endedIncidentsKnownTo, isNewsFor } from "../domain/telling/owed.ts";
import { receiverKey, receiverRules } from "../domain/telling/receiver-rules.ts";
import type { Instant } from "../domain/time.ts";
import { insertDueDeliveries } from "../store/deliveries.ts";
import { lanesOf } from "../store/lanes.ts";
import type { OwedRow } from "../store/owed-rows.ts";
import { type MonitorRecord, monitorWithPolicy } from "../views/completed-monitors.ts";
import { type AfterCommit, armOnly, type EngineContext } from "./engine-context.ts";
import { NO_JOB, planForReceiver, storePlan } from "./telling.ts";

/**
 * Writes the messages that receivers should have about one monitor but were never sent. Returns how many these are.
 * `record` is `null` when the monitor was deleted. Must be called in a transaction.
 */
export function payOwed(context: EngineContext, monitorId: number, record: MonitorRecord | null, now: Instant): number {
  const standing = record === null ? NO_JOB : standingOf(record.monitor, record.heads.openIncidentId);
  const paid = (owed: Iterable<Owed>): number =>
    [...owed].filter((one) => pay(context, monitorId, standing, one, now)).length;
  const ends = paid(endsOwed(context, monitorId, record, standing, now));
  // The ends are written first, so that a receiver hears of the end of the old incident before the new one.
  const openings = record === null ? 0 : paid(openingsOwed(context, record, standing, now));
  return ends + openings;
}

/**
 * Writes the messages that receivers are owed after a change of the monitor's settings. For example, a destination
 * that is added while an incident is open is owed the opening. Must be called in the transaction that saves the
 * settings. `afterCommit` is the work that the caller has for after the commit, or `null`. It is returned together
 * with the work that the new messages need.
 */
export function withOwed<Left extends AfterCommit | null>(
  context: EngineContext,
  monitorId: number,
  afterCommit: Left,
  now: Instant,
): Left | AfterCommit {
  const record = monitorWithPolicy(context, monitorId);
  if (record === null || record.heads.openIncidentId === null) return afterCommit;
  if (payOwed(context, monitorId, record, now) === 0) return afterCommit;
  return { ...(afterCommit ?? armOnly(record, record.wakeAt)), isSooner: true };
}

/**
 * When messages that tell the end of an incident were given up because their destination took nothing, this writes them
 * again. It does so only where a machine receives: a pager, for example, holds each incident open until it gets that
 * incident's end. Returns how many messages were written. Must be called in a transaction.
 */
export function payLostEnds({ deliveries, policy }: EngineContext, now: Instant): number {
  let paid = 0;
  for (const [destination, { takes }] of policy.destinations) {
    if (takes !== "incidents" && takes !== "events") continue;
    for (const { recipient, ...end } of deliveries.endsLost.all({ destination })) {
      insertDueDeliveries(deliveries, { ...end, routes: [{ destination, recipient }], at: now });
      paid++;
    }
  }
  return paid;
}

/** An alert that a receiver should have got. Delays such as `after = "20m"` count from `since`. */
type Owed = Readonly<{ alert: OwedAlert; policy: MonitorPolicy; route: AlertRoute; since: Instant }>;

type OwedAlert = AlertMessage & Readonly<{ id: number; incidentId: number }>;

function* endsOwed(
  { deliveries, policy: whole }: EngineContext,
  monitorId: number,
  record: MonitorRecord | null,
  standing: Standing,
  now: Instant,
): Iterable<Owed> {
  for (const { lane, ...receiver } of lanesOf(deliveries, monitorId).values()) {
    const { receiverKind } = receiverRules(whole, receiver);
    for (const incident of endedIncidentsKnownTo(lane, receiverKind, standing)) {
      // People get one message at the beginning of a series of incidents, so they get only the end of the newest
      // incident.
      const newest = receiverKind === "people" ? (deliveries.newestIncident.get({ monitorId })?.id ?? 0) : 0;
      const alert = alertIn(deliveries.end, Math.max(newest, incident));
      if (alert === null || deliveries.endedAt.all({ alertId: alert.id }).some(isSameAddress(receiver))) continue;
      const policy = record?.policy ?? monitorPolicy(whole, alert.data.applicationId, alert.data.monitorKey);
      const wanted = alertRoutesOf(policy, "Recovered", now, [{ ...receiver, via: null }]);
      for (const route of wanted.filter(isSameAddress(receiver))) yield { alert, policy, route, since: now };
    }
  }
}

function* openingsOwed(
  context: EngineContext,
  record: MonitorRecord,
  standing: Standing,
  now: Instant,
): Iterable<Owed> {
  const { open } = standing;
  if (open === null || !isNewsFor(null, standing)) return;
  const { deliveries } = context;
  const { id: monitorId, policy } = record;
  const lanes = lanesOf(deliveries, monitorId);
  const rows = deliveries.toldOf.all({ incidentId: open.incident });
  let alert: OwedAlert | null = null;
  const incident = record.monitor.incident!;
  for (const route of alertRoutesOf(policy, incident.opening, now, [])) {
    const turns = route.via === null ? undefined : policy.whole.rotas?.get(route.via)?.turns;
    // A receiver that is reached through a rota also counts as told when another member of that rota was told.
    const isItOrTurn = (one: Route) => isSameAddress(route)(one) || (turns?.includes(one.destination) ?? false);
    const knows = [...lanes.values()].filter(isItOrTurn).map(({ lane }) => lane.told);
    if (rows.some(isItOrTurn) || !knows.every((told) => isNewsFor(told, standing))) continue;
    alert ??= openingNow(context, record, open.incident);
    if (alert === null) return;
    yield { alert, policy, route, since: troubleBegan(incident) };
  }
}

/** Plans and stores an owed message. Returns false when by the plan the receiver does not need it. */
function pay(context: EngineContext, monitorId: number, standing: Standing, owed: Owed, now: Instant): boolean {
  const { alert, policy, route, since } = owed;
  const { incidentId, data } = alert;
  const lanes = lanesOf(context.deliveries, monitorId);
  const told = { alert: { ...data, at: alert.at }, incidentId, series: null };
  const planned = planForReceiver({ told, policy, lanes, standing, now }, route, since);
  storePlan(context, monitorId, [planned], { alertId: alert.id, incidentId, at: now });
  return planned.own !== null;
}

/**
 * Returns the alert that opened the incident. If the job's name, severity or other data in messages has changed since,
 * it writes and returns a new alert with the present ones. `null` when the alert is missing or unreadable.
 */
function openingNow(context: EngineContext, record: MonitorRecord, incidentId: number): OwedAlert | null {
  const { store, deliveries } = context;
  const alert = alertIn(deliveries.opening, incidentId);
  if (alert === null) return null;
  const { policy, declared, key, applicationId } = record;
  const presentation = presentationOf(policy, store.applications.byId(applicationId)?.name ?? null);
  const data = { ...alert.data, monitorKey: key, name: monitorName(policy, declared), ...presentation };
  if (Bun.deepEquals(data, alert.data)) return alert;
  const { id: _, incidentId: __, ...message } = { ...alert, data };
  return { ...alert, data, id: store.alerts.insert(incidentId, message) };
}

const isSameAddress = (one: Route) => (other: Route) => receiverKey(one) === receiverKey(other);

function alertIn(
  statement: Readonly<{ get: (asked: { incidentId: number }) => OwedRow | null }>,
  incidentId: number,
): OwedAlert | null {
  const row = statement.get({ incidentId });
  const message = row === null ? null : messageFrom(row.type, row.at, row.data);
  return row === null || message === null || !isAlert(message) ? null : { ...message, id: row.id, incidentId };
}
