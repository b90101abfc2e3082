// Decides which receiver gets which message of a monitor, and when (R36, R38). It asks domain/telling/plan.ts about
// each lane of the monitor, and stores the plan in the transaction that changed the monitor.

import { type Alert, isOpening } from "../domain/message/alert.ts";
import type { Monitor } from "../domain/monitor/monitor.ts";
import { type AlertRoute, alertRoutesOf } from "../domain/settings/alert-routes.ts";
import { type MonitorPolicy, type Policy, severityOf } from "../domain/settings/policy.ts";
import { type Flapping, SERIES_MAX, seriesOf } from "../domain/telling/flapping.ts";
import {
  EMPTY_LANE,
  isQuietByHand,
  type LaneMessage,
  NOT_STORED,
  openStanding,
  type Standing,
  standingOf,
  toldAtLast,
  toldBy,
} from "../domain/telling/lane.ts";
import {
  isPlanToSend,
  type MessagePlan,
  type NotSentPlan,
  plan,
  planAtOnce,
  type WhyNotSent,
} from "../domain/telling/plan.ts";
import { hearingBy, receiverKey, receiverRules } from "../domain/telling/receiver-rules.ts";
import type { Instant } from "../domain/time.ts";
import { byPerson } from "../domain/wording/since-words.ts";
import type { DeliveryStatements } from "../store/deliveries.ts";
import { type LanePlace, lanesOf, noticeLanes, type ReceiverLane } from "../store/lanes.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import { type EngineContext, NONE } from "./engine-context.ts";

/** Why a message was not sent, as pages say it. */
const NOT_SENT_BECAUSE: Readonly<Record<Exclude<WhyNotSent, "acknowledged">, string>> = {
  over: "it was over before this was due",
  joined: "the message of the failure before is for this one too, as no recovery was told",
  "failed again": "it failed again within 15 minutes",
  untold: "nothing was told of this trouble here",
};

/**
 * The columns of a delivery that is not sent: why it is not sent, and `knownBy`, the id of the delivery that told the
 * receiver of the trouble already; `null` when none did.
 */
const endingOf = (planned: NotSentPlan) => ({
  answer:
    planned.notSent === "acknowledged" ? `acknowledged${byPerson(planned.by)}` : NOT_SENT_BECAUSE[planned.notSent],
  why: planned.notSent === "acknowledged" ? planned.notSent : null,
  knownBy: planned.knownBy?.by ?? null,
});

/**
 * What planning needs to know of an alert. `series` counts the incidents when the alert is about several within a short
 * time; `null` when it is about one.
 */
export interface ToldAlert {
  readonly alert: Pick<Alert, "kind" | "reason" | "cause" | "at">;
  readonly incidentId: number;
  readonly series: Flapping | null;
}

interface NewAlert extends ToldAlert {
  readonly alert: Alert;
  readonly monitor: Monitor;
}

/** What was planned for an alert: for each receiver, the messages about the monitor that wait for this receiver now. */
export interface PlannedAlert {
  readonly lanes: readonly PlannedLane[];
  /** How many receivers want the alert. With 0 it is still written for the log, unless it is an acknowledgement. */
  readonly wanted: number;
  /**
   * True when the alert is a recovery and a receiver, perhaps no longer configured, was told of the trouble. The alert
   * is then written even without a delivery.
   */
  readonly isOwed: boolean;
}

/**
 * What was planned for one receiver. `plans` say of each message that waited for this receiver, in order, when it is
 * sent or why it is not. `own` says the same of the new alert; `null` when the receiver gets no delivery of it.
 */
export type PlannedLane = Readonly<{
  receiver: ReceiverLane;
  plans: readonly MessagePlan[];
  own: Readonly<{ planned: MessagePlan; via: string | null; from: Instant }> | null;
}>;

/** The state of the job after this alert, as planning needs it. */
const standingWith = ({ alert, incidentId, monitor }: NewAlert): Standing => ({
  open: alert.kind === "Recovered" ? null : openStanding(incidentId, alert.incident),
  isQuietByHand: isQuietByHand(monitor.pauses),
});

/** Plans who is told of an alert and when, and which earlier messages are no longer needed. Writes nothing. */
export function planAlert(context: EngineContext, before: MonitorRecord, told: NewAlert, now: Instant): PlannedAlert {
  const { deliveries } = context;
  const { policy, id: monitorId } = before;
  const { alert } = told;
  const lanes = lanesOf(deliveries, monitorId);
  const receivers = [...lanes.values()];
  const wanted = alertRoutesOf(policy, alert.kind, now, receiversToldOfTrouble(receivers, told, now));
  const asked = { told, policy, lanes, standing: standingWith(told), now };
  // A delay such as `after = "20m"` counts from the beginning of a series of failures. Otherwise a destination with
  // this delay would never hear of a job that fails for 15 of every 19 minutes.
  const since = alert.incident.seriesSince ?? now;
  const going = wanted.map((route) => planForReceiver(asked, route, since));
  const without = waitingBeside(receivers, wanted).map((receiver): PlannedLane => {
    const plans = plan(receiver.lane, asked.standing, receiverRules(policy.whole, receiver), now);
    return { receiver, plans, own: null };
  });
  const isOwed = alert.kind === "Recovered" && receivers.some(({ lane }) => toldBy(lane, now) !== null);
  return { lanes: [...going, ...without], wanted: wanted.length, isOwed };
}

/** Returns the receivers for whom earlier messages wait, but who do not get this alert. */
function waitingBeside(receivers: readonly ReceiverLane[], wanted: readonly AlertRoute[]): readonly ReceiverLane[] {
  const waiting = receivers.filter(({ lane }) => lane.waiting.length > 0);
  if (waiting.length === 0) return NONE;
  const goesTo = new Set(wanted.map(receiverKey));
  return waiting.filter((receiver) => !goesTo.has(receiverKey(receiver)));
}

export type AskedPlan = Readonly<{
  told: ToldAlert;
  policy: MonitorPolicy;
  lanes: ReadonlyMap<string, ReceiverLane>;
  standing: Standing;
  now: Instant;
}>;

/** Plans the messages to one receiver, with the new alert behind those that wait. The trouble began at `since`. */
export function planForReceiver(
  { told, policy, lanes, standing, now }: AskedPlan,
  route: AlertRoute,
  since: Instant,
): PlannedLane {
  const { destination, recipient, via } = route;
  const known = lanes.size === 0 ? undefined : lanes.get(receiverKey(route));
  const receiver = known ?? { destination, recipient, lane: EMPTY_LANE };
  const atOnce = planAtOnce(receiver.lane, told.alert.kind, hearingBy(policy.whole, destination, via), now);
  if (atOnce !== null) return { receiver, plans: NONE, own: { planned: atOnce, via, from: now } };
  const rules = receiverRules(policy.whole, route);
  const isLater = rules.hearing(via).afterSeconds !== undefined;
  const message = messageFor(told, route, severityOf(policy), now, isLater ? since : now);
  const isOtherTurnTold = isToldToOtherTurn(policy.whole, route, lanes, now);
  const waiting = [...receiver.lane.waiting, message];
  const plans = plan({ ...receiver.lane, waiting, isOtherTurnTold }, standing, rules, now);
  const own = { planned: plans.at(-1)!, via, from: message.from };
  return { receiver, plans: plans.slice(0, -1), own: isWritten(own.planned, told.alert, now) ? own : null };
}

/**
 * Whether a delivery is written for the alert and this receiver. An alert that is sent gets one, unless it is a
 * reminder that would have to wait, for example for the end of quiet hours. Of alerts that are not sent, only an
 * opening gets one, which says why it is not sent.
 */
function isWritten(planned: MessagePlan, { kind, reason }: ToldAlert["alert"], now: Instant): boolean {
  if (!isPlanToSend(planned)) return isOpening(kind);
  return reason !== "reminder" || planned.due === null || planned.due <= now;
}

/**
 * Returns the receivers of a recovery or an acknowledgement: those who were told of the trouble, or have a message
 * about it waiting. Empty for other alerts.
 */
function receiversToldOfTrouble(
  lanes: readonly ReceiverLane[],
  { alert, incidentId }: NewAlert,
  now: Instant,
): AlertRoute[] {
  if (alert.kind !== "Recovered" && alert.kind !== "Acknowledged") return [];
  return lanes.flatMap(({ destination, recipient, lane }) => {
    const told = alert.kind === "Acknowledged" ? toldBy(lane, now) : toldAtLast(lane);
    if (told === null || (alert.kind === "Acknowledged" && told.incident !== incidentId)) return [];
    return { destination, recipient, via: lane.waiting.at(-1)?.via ?? null };
  });
}

/** Whether the receiver is reached through a rota, and another member of that rota was told of the trouble. */
function isToldToOtherTurn(
  { rotas }: Policy,
  { via, destination, recipient }: AlertRoute,
  lanes: ReadonlyMap<string, ReceiverLane>,
  now: Instant,
): boolean {
  const turns = via === null ? undefined : rotas?.get(via)?.turns;
  if (turns === undefined) return false;
  return [...lanes.values()].some(
    (other) =>
      (other.destination !== destination || other.recipient !== recipient) &&
      turns.includes(other.destination) &&
      toldBy(other.lane, now) !== null,
  );
}

function messageFor(
  { alert, incidentId: incident, series }: ToldAlert,
  { via }: AlertRoute,
  severity: LaneMessage["severity"],
  now: Instant,
  from: Instant,
): LaneMessage {
  const { kind, reason, cause, at } = alert;
  return {
    ...NOT_STORED,
    incident,
    kind,
    reason,
    severity,
    via,
    from,
    at,
    written: now,
    causes: [cause],
    isOfSeries: series !== null,
  };
}

/**
 * Stores the plan after the alert was written. `joined` is the earlier incident from whose message some receiver knows
 * of this trouble already; `null` when there is no such receiver. `hasChanged` is true when messages that waited before
 * are planned differently now.
 */
export function storePlan(
  { deliveries }: Pick<EngineContext, "deliveries">,
  monitorId: number,
  lanes: readonly PlannedLane[],
  { alertId, incidentId, at }: Readonly<{ alertId: number; incidentId: number; at: Instant }>,
): Readonly<{ joined: number | null; hasChanged: boolean }> {
  let joined: number | null = null;
  let hasChanged = false;
  for (const { receiver, plans, own } of lanes) {
    const { destination, recipient, lane } = receiver;
    const place = { monitorId, destination, recipient };
    hasChanged = storePlans(deliveries, place, lane.waiting, plans, at) || hasChanged;
    if (own === null) continue;
    const { planned, via } = own;
    if (isPlanToSend(planned)) {
      const from = own.from === at ? null : own.from;
      const isFirst = lane.waiting.length === 0 || deliveries.anyInLane.get(place) === null;
      const { due, why } = planned;
      const row = { alertId, incidentId, monitorId, destination, recipient, at, due, why, via, from, isFirst };
      deliveries.insert.run(row);
    } else {
      joined = planned.knownBy?.incident ?? joined;
      deliveries.insertNotSent.run({ ...place, alertId, incidentId, at, ...endingOf(planned) });
    }
  }
  return { joined, hasChanged };
}

/**
 * Stores the plans for the waiting messages of one lane. `plans` has one plan for each of `waiting`, in the same order.
 * Returns whether any plan has changed.
 */
function storePlans(
  deliveries: DeliveryStatements,
  place: LanePlace,
  waiting: readonly LaneMessage[],
  plans: readonly MessagePlan[],
  at: Instant,
): boolean {
  let hasChanged = false;
  for (const [nth, { id, due }] of waiting.entries()) {
    const planned = plans[nth]!;
    if (isPlanToSend(planned)) {
      if (planned.due === due) continue;
      deliveries.setDue.run({ id, ...planned });
    } else {
      deliveries.notSent.run({ id, at, ...endingOf(planned) });
    }
    hasChanged = true;
  }
  if (hasChanged) deliveries.promote.run({ ...place, at });
  return hasChanged;
}

/**
 * Plans the waiting messages about a monitor again. Called when a person paused or resumed the job or its application,
 * or the rules for its receivers changed. Returns whether the plan of any message has changed.
 */
export function planMonitorAgain(
  { deliveries }: EngineContext,
  { id: monitorId, policy, monitor }: Pick<MonitorRecord, "id" | "policy" | "monitor">,
  openIncidentId: number | null,
  now: Instant,
): boolean {
  const standing = standingOf(monitor, openIncidentId);
  if (!standing.isQuietByHand) deliveries.resumeAt.run({ monitorId, at: now });
  return storeAll(deliveries, monitorId, lanesOf(deliveries, monitorId), standing, policy.whole, now);
}

/**
 * Gives up messages that were to tell pagers of an acknowledgement, because the acknowledgement was taken back. Returns
 * whether there were any.
 */
export function dropAcknowledged(
  { deliveries }: EngineContext,
  monitorId: number,
  incidentId: number,
  at: Instant,
): boolean {
  const dropped = deliveries.dropAcknowledged.all({ incidentId, at });
  for (const receiver of dropped) deliveries.promote.run({ ...receiver, monitorId, at });
  return dropped.length > 0;
}

/** Plans again the notices that are not due yet. Returns whether the plan of any notice has changed. */
export function planNoticesAgain({ deliveries, policy }: EngineContext, now: Instant): boolean {
  return storeAll(deliveries, null, noticeLanes(deliveries, now), NO_JOB, policy, now);
}

/**
 * Plans again the waiting messages about a deleted monitor, all of whose incidents have ended. Returns whether the plan
 * of any message has changed.
 */
export function planDeletedAgain({ deliveries, policy }: EngineContext, monitorId: number, now: Instant): boolean {
  return storeAll(deliveries, monitorId, lanesOf(deliveries, monitorId), NO_JOB, policy, now);
}

export const NO_JOB: Standing = { open: null, isQuietByHand: false };

function storeAll(
  deliveries: DeliveryStatements,
  monitorId: number | null,
  lanes: ReadonlyMap<string, ReceiverLane>,
  standing: Standing,
  policy: Policy,
  now: Instant,
): boolean {
  let hasChanged = false;
  for (const receiver of lanes.values()) {
    const { destination, recipient, lane } = receiver;
    const plans = plan(lane, standing, receiverRules(policy, receiver), now);
    hasChanged = storePlans(deliveries, { monitorId, destination, recipient }, lane.waiting, plans, now) || hasChanged;
  }
  return hasChanged;
}

/**
 * Writes the deliveries of a notice about a monitor, such as one of an unusually long run. The notice belongs to no
 * incident, but waits for the end of quiet hours as an alert does.
 */
export function tellWarning(
  { deliveries, policy }: EngineContext,
  alertId: number,
  routes: readonly AlertRoute[],
  at: Instant,
): void {
  const lanes = noticeLanes(deliveries, at);
  for (const route of routes) {
    const { destination, recipient, via } = route;
    const waiting = lanes.get(receiverKey(route))?.lane.waiting ?? NONE;
    const plans = plan(
      { ...EMPTY_LANE, waiting: [...waiting, warning(via, at)] },
      NO_JOB,
      receiverRules(policy, route),
      at,
    );
    const planned = plans.at(-1)!;
    if (!isPlanToSend(planned)) continue;
    const place = { monitorId: null, destination, recipient };
    const isFirst = deliveries.anyInLane.get(place) === null;
    deliveries.insert.run({ ...place, alertId, incidentId: null, at, ...planned, via, from: null, isFirst });
  }
}

const warning = (via: string | null, at: Instant): LaneMessage => ({
  ...NOT_STORED,
  incident: null,
  kind: null,
  reason: null,
  causes: NONE,
  severity: "warning",
  at,
  written: at,
  from: at,
  isOfSeries: false,
  via,
});

/**
 * Returns the series when a recovery or a reminder is about several incidents within a short time. `null` when it is
 * about one incident, and for every other alert.
 */
export function seriesToldBy(
  { store }: EngineContext,
  { id }: MonitorRecord,
  { reason, incident }: Alert,
): Flapping | null {
  if (incident.number < 2) return null;
  const { seriesSince } = incident;
  const lately = () => store.incidents.lately(id, incident.number, SERIES_MAX);
  if (reason === "success") return seriesOf(lately());
  const isReminder = reason === "reminder" || reason === "last_reminder";
  if (!isReminder || seriesSince === null) return null;
  return seriesOf(lately().filter(({ openedAt }) => openedAt >= seriesSince));
}
