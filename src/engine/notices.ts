// Writes notices: messages that belong to no incident, mostly about rollcall itself. Each destination gets one message
// about all of its monitors that are concerned (R26, R33). Everything here runs inside the caller's transaction.

import { type ListedMonitor, type NoticeDetails, noticeMessage } from "../domain/message/notice.ts";
import type { AlertRoute } from "../domain/settings/alert-routes.ts";
import { monitorName, type Route } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import { insertDueDeliveries } from "../store/deliveries.ts";
import { type MonitorRecord, monitorWithPolicy } from "../views/completed-monitors.ts";
import { type EngineContext, type RaisedNotice, thisInstance } from "./engine-context.ts";
import { tellWarning } from "./telling.ts";

export const raiseNotices = <Audience extends { readonly routes: readonly Route[] }>(
  context: EngineContext,
  audiences: readonly Audience[],
  noticeOf: (audience: Audience) => NoticeDetails,
  now: Instant,
): RaisedNotice[] => audiences.map((audience) => raiseNotice(context, noticeOf(audience), audience.routes, now));

type WrittenNotice = RaisedNotice & { readonly alertId: number };

/** Writes a notice about rollcall itself for each route. It does not wait for the end of quiet hours. */
export function raiseNotice(
  context: EngineContext,
  notice: NoticeDetails,
  routes: readonly Route[],
  now: Instant,
): WrittenNotice {
  const { alertId, message } = writeNotice(context, notice, now);
  insertDueDeliveries(context.deliveries, { alertId, incidentId: null, monitorId: null, routes, at: now });
  return { alertId, message, deliveries: routes.length };
}

/** Writes a notice about a job. Like an alert, it waits for the end of quiet hours. */
export function raiseWarning(
  context: EngineContext,
  notice: NoticeDetails,
  routes: readonly AlertRoute[],
  now: Instant,
): WrittenNotice {
  const { alertId, message } = writeNotice(context, notice, now);
  tellWarning(context, alertId, routes, now);
  return { alertId, message, deliveries: routes.length };
}

function writeNotice(context: EngineContext, notice: NoticeDetails, now: Instant) {
  const message = noticeMessage(notice, now, thisInstance(context));
  return { message, alertId: context.store.alerts.insert(null, message) };
}

export const listedMonitorOf = ({ application, key, declared, policy, monitor }: MonitorRecord): ListedMonitor => ({
  applicationId: application,
  monitorKey: key,
  name: monitorName(policy, declared),
  timezone: monitor.watch.timezone,
});

/**
 * Returns the monitor, or `null` when it does not exist or cannot be read. A notice about many monitors can then still
 * name the others. The log has already named the unreadable one.
 */
export function readableMonitor(context: EngineContext, id: number): MonitorRecord | null {
  try {
    return monitorWithPolicy(context, id);
  } catch {
    return null;
  }
}
