// Who is told of what is true (R36, R38): asks domain/telling about each lane of a monitor and stores what it plans, in
// the transaction that changed what is true.

import { type Alert, isOpening } from "../domain/message/alert.ts";
import type { Incident } from "../domain/monitor/incident.ts";
import type { Monitor, Pauses } from "../domain/monitor/monitor.ts";
import { type AlertRoute, alertRoutesOf } from "../domain/settings/alert-routes.ts";
import { type Flapping, SERIES_MAX, seriesOf } from "../domain/settings/flapping.ts";
import { type MonitorPolicy, type Policy, severityOf } from "../domain/settings/policy.ts";
import { hearerRules, hearingBy } from "../domain/telling/hearer.ts";
import { EMPTY_LANE, type LaneMessage, NOT_STORED, type Standing, toldAtLast, toldBy } from "../domain/telling/lane.ts";
import {
  isSent,
  type MessagePlan,
  type NotSentPlan,
  plan,
  planAtOnce,
  type WhyNotSent,
} from "../domain/telling/plan.ts";
import type { Instant } from "../domain/time.ts";
import { byPerson } from "../domain/wording/since-words.ts";
import type { DeliveryStatements } from "../store/deliveries.ts";
import { addressOf, type HearerLane, type LanePlace, lanesOf, noticeLanes } from "../store/lanes.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import { type EngineContext, NONE } from "./engine-context.ts";

/** What people read where a message was not sent. */
const NOT_SENT_BECAUSE: Readonly<Record<Exclude<WhyNotSent, "acknowledged">, string>> = {
  over: "it was over before this was due",
  joined: "the message of the failure before is for this one too, as no recovery was told",
  "failed again": "it failed again within 15 minutes",
  untold: "nothing was told of this trouble here",
};

/** What the row of a message says that is not sent. */
const endingOf = (verdict: NotSentPlan) => ({
  answer:
    verdict.notSent === "acknowledged" ? `acknowledged${byPerson(verdict.by)}` : NOT_SENT_BECAUSE[verdict.notSent],
  why: verdict.notSent === "acknowledged" ? verdict.notSent : null,
  knownBy: verdict.knownBy?.by ?? null,
});

/** What a plan asks of an alert. `series`: the failures that it ends or is about; null unless they were several. */
export interface ToldAlert {
  readonly alert: Pick<Alert, "kind" | "reason" | "cause" | "at">;
  readonly incidentId: number;
  readonly series: Flapping | null;
}

/** An alert that was decided and is not written yet. */
interface NewAlert extends ToldAlert {
  readonly alert: Alert;
  /** The monitor after the decision. */
  readonly monitor: Monitor;
}

/** What an alert's hearers are told of it, and what waits for them from now on. */
export interface PlannedAlert {
  readonly lanes: readonly PlannedLane[];
  /** How many hearers want it; the alert is worth writing when none do, because the log tells it. */
  readonly wanted: number;
  /** It is the end of trouble that somebody was told of, be it a hearer that is none now. */
  readonly isOwed: boolean;
}

/** A lane as it is planned now. `own`: what becomes of the new alert there; null when it does not go there. */
export type PlannedLane = Readonly<{
  hearer: HearerLane;
  verdicts: readonly MessagePlan[];
  own: Readonly<{ verdict: MessagePlan; via: string | null; from: Instant }> | null;
}>;

/** A person asked for quiet. */
const isQuietByHand = ({ manual, suspension }: Pauses): boolean => manual !== null || suspension;

const openAs = (incident: number, { openedAt, acknowledgedAt, acknowledgedBy }: Incident): Standing["open"] => ({
  incident,
  since: openedAt,
  acknowledged: acknowledgedAt === null ? null : { by: acknowledgedBy },
});

export const standingOf = ({ incident, pauses }: Monitor, openIncidentId: number | null): Standing => ({
  open: incident === null || openIncidentId === null ? null : openAs(openIncidentId, incident),
  isQuietByHand: isQuietByHand(pauses),
});

/** How a job stands once this alert is true. */
const standingWith = ({ alert, incidentId, monitor }: NewAlert): Standing => ({
  open: alert.kind === "Recovered" ? null : openAs(incidentId, alert.incident),
  isQuietByHand: isQuietByHand(monitor.pauses),
});

/** Who hears of an alert, when, and what need not be told any more. Writes nothing. */
export function planAlert(context: EngineContext, before: MonitorRecord, told: NewAlert, now: Instant): PlannedAlert {
  const { deliveries } = context;
  const { policy, id: monitorId } = before;
  const { alert } = told;
  const lanes = lanesOf(deliveries, monitorId);
  const hearers = [...lanes.values()];
  const wanted = alertRoutesOf(policy, alert.kind, now, knowing(hearers, told, now));
  const asked = { told, policy, lanes, standing: standingWith(told), now };
  // A job that fails for 15 of every 19 minutes would else never reach who hears after 20.
  const since = alert.incident.seriesSince ?? now;
  const going = wanted.map((route) => planWith(asked, route, since));
  const without = waitingBeside(hearers, wanted).map((hearer): PlannedLane => {
    const verdicts = plan(hearer.lane, asked.standing, hearerRules(policy.whole, hearer), now);
    return { hearer, verdicts, own: null };
  });
  const isOwed = alert.kind === "Recovered" && hearers.some(({ lane }) => toldBy(lane, now) !== null);
  return { lanes: [...going, ...without], wanted: wanted.length, isOwed };
}

/** Hearers for whom something waits and to whom the alert does not go. */
function waitingBeside(hearers: readonly HearerLane[], wanted: readonly AlertRoute[]): readonly HearerLane[] {
  const waiting = hearers.filter(({ lane }) => lane.waiting.length > 0);
  if (waiting.length === 0) return NONE;
  const goesTo = new Set(wanted.map(addressOf));
  return waiting.filter((hearer) => !goesTo.has(addressOf(hearer)));
}

export type AskedPlan = Readonly<{
  told: ToldAlert;
  policy: MonitorPolicy;
  lanes: ReadonlyMap<string, HearerLane>;
  standing: Standing;
  now: Instant;
}>;

/** The lane of a hearer with the new alert behind what waits in it. `since`: when its trouble began. */
export function planWith(
  { told, policy, lanes, standing, now }: AskedPlan,
  route: AlertRoute,
  since: Instant,
): PlannedLane {
  const { destination, recipient, via } = route;
  const known = lanes.size === 0 ? undefined : lanes.get(addressOf(route));
  const hearer = known ?? { destination, recipient, lane: EMPTY_LANE };
  const atOnce = planAtOnce(hearer.lane, told.alert.kind, hearingBy(policy.whole, destination, via), now);
  if (atOnce !== null) return { hearer, verdicts: NONE, own: { verdict: atOnce, via, from: now } };
  const rules = hearerRules(policy.whole, route);
  const isLater = rules.hearing(via).afterSeconds !== undefined;
  const message = messageFor(told, route, severityOf(policy), now, isLater ? since : now);
  const isOtherTurnTold = isToldToOtherTurn(policy.whole, route, lanes, now);
  const waiting = [...hearer.lane.waiting, message];
  const verdicts = plan({ ...hearer.lane, waiting, isOtherTurnTold }, standing, rules, now);
  const own = { verdict: verdicts.at(-1)!, via, from: message.from };
  return { hearer, verdicts: verdicts.slice(0, -1), own: isWritten(own.verdict, told.alert, now) ? own : null };
}

/** Whether the alert gets a row there: an opening always, so that the row says why it was not sent. */
function isWritten(verdict: MessagePlan, { kind, reason }: ToldAlert["alert"], now: Instant): boolean {
  if (!isSent(verdict)) return isOpening(kind);
  // After quiet hours the message of the trouble itself is news enough.
  return reason !== "reminder" || verdict.due === null || verdict.due <= now;
}

/** Who knows of the trouble that an alert ends or acknowledges, or is about to hear of it. */
function knowing(lanes: readonly HearerLane[], { alert, incidentId }: NewAlert, now: Instant): AlertRoute[] {
  if (alert.kind !== "Recovered" && alert.kind !== "Acknowledged") return [];
  return lanes.flatMap(({ destination, recipient, lane }) => {
    const told = alert.kind === "Acknowledged" ? toldBy(lane, now) : toldAtLast(lane);
    if (told === null || (alert.kind === "Acknowledged" && told.incident !== incidentId)) return [];
    return { destination, recipient, via: lane.waiting.at(-1)?.via ?? null };
  });
}

/** Whether another turn of the rota by which this hearer is reached was told of the trouble. */
function isToldToOtherTurn(
  { rotas }: Policy,
  { via, destination, recipient }: AlertRoute,
  lanes: ReadonlyMap<string, HearerLane>,
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
    ...{ ...NOT_STORED, incident, kind, reason, severity, via, from, at, written: now },
    causes: [cause],
    isOfSeries: series !== null,
  };
}

/**
 * Stores what was planned, with the alert that was written meanwhile. `joined`: the incident by whose message this one
 * is known; `hasChanged`: what waited before is planned otherwise.
 */
export function storePlan(
  { deliveries }: Pick<EngineContext, "deliveries">,
  monitorId: number,
  lanes: readonly PlannedLane[],
  { alertId, incidentId, at }: Readonly<{ alertId: number; incidentId: number; at: Instant }>,
): Readonly<{ joined: number | null; hasChanged: boolean }> {
  let joined: number | null = null;
  let hasChanged = false;
  for (const { hearer, verdicts, own } of lanes) {
    const { destination, recipient, lane } = hearer;
    const place = { monitorId, destination, recipient };
    hasChanged = storeVerdicts(deliveries, place, lane.waiting, verdicts, at) || hasChanged;
    if (own === null) continue;
    const { verdict, via } = own;
    if (isSent(verdict)) {
      const from = own.from === at ? null : own.from;
      const isFirst = lane.waiting.length === 0 || deliveries.anyInLane.get(place) === null;
      const { due, why } = verdict;
      const row = { alertId, incidentId, monitorId, destination, recipient, at, due, why, via, from, isFirst };
      deliveries.insert.run(row);
    } else {
      joined = verdict.knownBy?.incident ?? joined;
      deliveries.insertNotSent.run({ ...place, alertId, incidentId, at, ...endingOf(verdict) });
    }
  }
  return { joined, hasChanged };
}

/** Whether any differs from the plan before. */
function storeVerdicts(
  deliveries: DeliveryStatements,
  place: LanePlace,
  waiting: readonly LaneMessage[],
  verdicts: readonly MessagePlan[],
  at: Instant,
): boolean {
  let hasChanged = false;
  for (const [nth, { id, due }] of waiting.entries()) {
    const verdict = verdicts[nth]!;
    if (isSent(verdict)) {
      if (verdict.due === due) continue;
      deliveries.setDue.run({ id, ...verdict });
    } else {
      deliveries.notSent.run({ id, at, ...endingOf(verdict) });
    }
    hasChanged = true;
  }
  if (hasChanged) deliveries.promote.run({ ...place, at });
  return hasChanged;
}

/**
 * Plans again what waits of a monitor, because a person asked for quiet or the rules of its hearers changed. Returns
 * whether the notifier has something to look at that no alert announces.
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

/** The same for notices, which no incident and no pause concerns. */
export function planNoticesAgain({ deliveries, policy }: EngineContext, now: Instant): boolean {
  return storeAll(deliveries, null, noticeLanes(deliveries, now), NO_JOB, policy, now);
}

/** The same for a monitor that is deleted: all its incidents are over. */
export function planDeletedAgain({ deliveries, policy }: EngineContext, monitorId: number, now: Instant): boolean {
  return storeAll(deliveries, monitorId, lanesOf(deliveries, monitorId), NO_JOB, policy, now);
}

export const NO_JOB: Standing = { open: null, isQuietByHand: false };

function storeAll(
  deliveries: DeliveryStatements,
  monitorId: number | null,
  lanes: ReadonlyMap<string, HearerLane>,
  standing: Standing,
  policy: Policy,
  now: Instant,
): boolean {
  let hasChanged = false;
  for (const hearer of lanes.values()) {
    const { destination, recipient, lane } = hearer;
    const verdicts = plan(lane, standing, hearerRules(policy, hearer), now);
    hasChanged =
      storeVerdicts(deliveries, { monitorId, destination, recipient }, lane.waiting, verdicts, now) || hasChanged;
  }
  return hasChanged;
}

/** Writes a warning about a monitor, which is no alert of an incident and waits for the end of quiet hours too. */
export function tellWarning(
  { deliveries, policy }: EngineContext,
  alertId: number,
  routes: readonly AlertRoute[],
  at: Instant,
): void {
  const lanes = noticeLanes(deliveries, at);
  for (const route of routes) {
    const { destination, recipient, via } = route;
    const waiting = lanes.get(addressOf(route))?.lane.waiting ?? NONE;
    const verdicts = plan(
      { ...EMPTY_LANE, waiting: [...waiting, warning(via, at)] },
      NO_JOB,
      hearerRules(policy, route),
      at,
    );
    const verdict = verdicts.at(-1)!;
    if (!isSent(verdict)) continue;
    const place = { monitorId: null, destination, recipient };
    const isFirst = deliveries.anyInLane.get(place) === null;
    deliveries.insert.run({ ...place, alertId, incidentId: null, at, ...verdict, via, from: null, isFirst });
  }
}

const warning = (via: string | null, at: Instant): LaneMessage => ({
  ...{ ...NOT_STORED, incident: null, kind: null, reason: null, causes: NONE, severity: "warning" },
  ...{ at, written: at, from: at, isOfSeries: false, via },
});

/** Whether a person's wish for quiet began or ended. */
export const hasQuietChanged = (before: Pauses, after: Pauses): boolean =>
  isQuietByHand(before) !== isQuietByHand(after);

/** The failures that a success ends or a reminder is about, if they were several in short time; else null. */
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
