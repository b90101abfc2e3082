// After a restore: carries over what the replaced database knew and the backup does not (R26).
// - Messages that had arrived are not sent again. Ends and acknowledgements after the backup are repeated.
// - An incident that the backup does not have is told as ended, wherever it had been told, under the same number and
//   thread. Otherwise people and pagers would wait for its end. Unsent messages about it go before that end.

import type { AlertMessage } from "../../domain/message/alert.ts";
import type { Signal } from "../../domain/monitor/transition.ts";
import type { Route } from "../../domain/settings/policy.ts";
import { heardFrom } from "../../domain/telling/hearing.ts";
import { receiverKey, receiverRules } from "../../domain/telling/receiver-rules.ts";
import { type Instant, toIso, wholeSeconds } from "../../domain/time.ts";
import type { EndedDelivery, LostIncident, SettledIncident } from "../../store/file/restored.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import { type AfterCommit, type EngineContext, NONE } from "../engine-context.ts";
import { applySignals } from "../record.ts";

/**
 * Carries over once what the replaced database knew, and then removes the table `restored`, in which the restore left
 * that. Must be called in a transaction.
 */
export function tellAfterRestore(context: EngineContext, now: Instant): readonly AfterCommit[] {
  const { store } = context;
  const restoration = store.restored.read();
  if (restoration === null) return NONE;
  const { lost, changed, ended } = restoration;
  for (const one of ended) endAsBefore(context, one, now);
  const afterCommits = changed.flatMap((one) => changeAsBefore(context, one, now));
  for (const one of lost) tellLost(context, one, now);
  store.restored.remove();
  return afterCommits;
}

function endAsBefore({ deliveries }: EngineContext, ended: EndedDelivery, at: Instant): void {
  const lane = deliveries.endedBefore.get({ why: null, ...ended });
  if (lane === null) return;
  deliveries.clearStands.run(lane);
  deliveries.promote.run({ ...lane, at });
}

/**
 * Repeats on an incident what happened to it after the backup: it was acknowledged, its acknowledgement was taken back,
 * or it ended. Messages about the incident that had arrived before the restore are not sent again.
 */
function changeAsBefore(context: EngineContext, changed: SettledIncident, now: Instant): AfterCommit[] {
  const { id: incidentId, monitorId, acknowledgedAt, acknowledgedBy, closedAt, closedBy, arrived } = changed;
  const before = monitorWithPolicy(context, monitorId);
  if (before === null || before.heads.openIncidentId !== incidentId) return [];
  const acknowledge: Signal =
    acknowledgedAt === null
      ? { kind: "unacknowledge" }
      : { kind: "acknowledge", by: acknowledgedBy, at: acknowledgedAt };
  const end: readonly Signal[] =
    closedAt === null ? NONE : [{ kind: "ended", by: closedBy ?? "success", at: closedAt }];
  const { afterCommit } = applySignals(context, before, [acknowledge, ...end], now);
  for (const one of arrived) {
    const lane = context.deliveries.arrivedBefore.get({ ...one, monitorId, incidentId, answer: KNOWN_BEFORE });
    if (lane === null) continue;
    context.deliveries.clearStands.run(lane);
    context.deliveries.promote.run({ ...lane, at: now });
  }
  return [afterCommit];
}

const KNOWN_BEFORE = "it was sent before the backup was restored";

/**
 * Writes the deliveries that tell the end of an incident that this database does not have. The incident's unsent
 * messages are written first, so that they go before its end. All of them wait for the end of a receiver's quiet hours.
 * A pager that was not told of the trouble is not called at that end, because the incident is over then (R38).
 */
function tellLost(context: EngineContext, { data, routes, untold = [] }: LostIncident, now: Instant): void {
  const { store } = context;
  const isNeedless = (route: Route): boolean =>
    receiverRules(context.policy, route).receiverKind === "pager" && heardAt(context, route, data, now) > now;
  const wanted = untold.map((one) => ({ ...one, routes: one.routes.filter((route) => !isNeedless(route)) }));
  for (const { routes: waiting, ...message } of wanted) {
    if (waiting.length > 0) insertHeard(context, store.alerts.insert(null, message), waiting, data, now);
  }
  const all = [...routes, ...wanted.flatMap((one) => one.routes)];
  const places = [...new Map(all.map((route) => [receiverKey(route), route])).values()];
  if (places.length > 0) insertHeard(context, store.alerts.insert(null, recoveryMessage(data, now)), places, data, now);
}

function insertHeard(
  context: EngineContext,
  alertId: number,
  routes: readonly Route[],
  data: LostIncident["data"],
  at: Instant,
): void {
  const { deliveries } = context;
  for (const route of routes) {
    const place = { monitorId: null, destination: route.destination, recipient: route.recipient };
    const due = heardAt(context, route, data, at);
    // What quiet hours hold before this message goes with it, because messages keep their order.
    if (due <= at) deliveries.letLaneGo.run({ ...place, at });
    const isFirst = deliveries.anyInLane.get(place) === null;
    const why = due > at ? "quiet" : "now";
    deliveries.insert.run({ ...place, alertId, incidentId: null, at, due, why, via: null, from: null, isFirst });
  }
}

/** When the receiver hears of the incident: at `at`, or at the end of its quiet hours. */
function heardAt({ policy }: EngineContext, route: Route, { severity }: LostIncident["data"], at: Instant): Instant {
  const { hearing, timezone } = receiverRules(policy, route);
  return heardFrom(hearing(null), severity, timezone, at);
}

const recoveryMessage = (data: LostIncident["data"], now: Instant): AlertMessage => ({
  type: "monitor.recovered",
  at: now,
  data: {
    ...data,
    kind: "Recovered",
    reason: "restored",
    // How the job is now is unknown until its next report.
    status: "warning",
    recoveredAt: toIso(now),
    durationSeconds: wholeSeconds(Date.parse(data.openedAt), now),
    missedSlots: data.missedSlots ?? 0,
    unheardSlots: data.unheardSlots ?? 0,
    lateSlots: data.lateSlots ?? 0,
    happenedAt: null,
    nextReminderAt: null,
    runningSince: null,
    outcomes: null,
    gap: null,
    gaps: [],
    gapsTotal: 0,
    zoneHint: null,
    refusedReport: null,
    // There is no link, because this database has no page for the incident.
    url: null,
  },
});
