// Notices: what is worth knowing about ourselves, told to those who would hear of the monitors concerned, one message
// per destination (R26, R33). Writes alerts without an incident, and their deliveries; runs inside the caller's
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

/** Of ourselves: it waits for nothing. */
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

/** Of a job: it waits for the end of quiet hours as an alert does. */
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

/** One that cannot be read must not keep the others untold; the log has named it already. */
export function readableMonitor(context: EngineContext, id: number): MonitorRecord | null {
  try {
    return loadMonitor(context, id);
  } catch {
    return null;
  }
}
