// Notices tell what is worth knowing about rollcall itself, in one message for each destination of the monitors
// concerned (R26, R33). This file writes alerts without an incident, and their deliveries, inside the caller's
// transaction.

import type { ListedMonitor, NoticeDetails } from "../domain/message/notice.ts";
import { noticeMessage } from "../domain/message/notice.ts";
import type { AlertRoute } from "../domain/settings/alert-routes.ts";
import { monitorName, type Route } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import { enqueueDeliveries } from "../store/deliveries.ts";
import { loadMonitor, type MonitorRecord } from "../views/completed-monitors.ts";
import { type EngineContext, instanceOf, type RaisedNotice } from "./engine-context.ts";
import { tellWarning } from "./telling.ts";

export const raiseNotices = <Audience extends { readonly routes: readonly Route[] }>(
  context: EngineContext,
  audiences: readonly Audience[],
  noticeOf: (audience: Audience) => NoticeDetails,
  now: Instant,
): RaisedNotice[] => audiences.map((audience) => raiseNotice(context, noticeOf(audience), audience.routes, now));

type WrittenNotice = RaisedNotice & { readonly alertId: number };

/** Raises a notice about rollcall itself, which does not wait for quiet hours. */
export function raiseNotice(
  context: EngineContext,
  notice: NoticeDetails,
  routes: readonly Route[],
  now: Instant,
): WrittenNotice {
  const { alertId, message } = writeNotice(context, notice, now);
  enqueueDeliveries(context.deliveries, { alertId, incidentId: null, monitorId: null, routes, at: now });
  return { alertId, message, deliveries: routes.length };
}

/** Raises a notice about a job, which waits for the end of quiet hours as an alert does. */
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
  const message = noticeMessage(notice, now, instanceOf(context));
  return { message, alertId: context.store.alerts.insert(null, message) };
}

export const namedBy = ({ application, key, declared, policy, monitor }: MonitorRecord): ListedMonitor => ({
  applicationId: application,
  monitorKey: key,
  name: monitorName(policy, declared),
  timezone: monitor.watch.timezone,
});

/**
 * Returns the monitor, or `null` when it cannot be read, so that the others are still told. The log has already named
 * it.
 */
export function readableMonitor(context: EngineContext, id: number): MonitorRecord | null {
  try {
    return loadMonitor(context, id);
  } catch {
    return null;
  }
}
