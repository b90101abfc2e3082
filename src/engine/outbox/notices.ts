// Notices: what is worth knowing about ourselves, told to those who would hear of the monitors concerned, one message
// per destination (R26, R33). Writes alerts without an incident, and their deliveries; runs inside the caller's
// transaction.

import type { ListedMonitor, NoticeDetails, NoticeMessage } from "../../domain/message/notice.ts";
import { noticeMessage } from "../../domain/message/notice.ts";
import { nameOf, type Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import { enqueueDeliveries } from "../../store/deliveries.ts";
import { loadMonitor, type MonitorRecord } from "../../views/monitor-records.ts";
import { type EngineContext, instanceOf } from "../context.ts";
import type { Audience, AudienceMonitor } from "./audiences.ts";

export interface RaisedNotice {
  readonly message: NoticeMessage;
  /** 0: only the log reports it. */
  readonly deliveries: number;
}

export const raiseNotices = <Monitor extends AudienceMonitor>(
  context: EngineContext,
  audiences: readonly Audience<Monitor>[],
  noticeOf: (audience: Audience<Monitor>) => NoticeDetails,
  now: Instant,
): RaisedNotice[] => audiences.map((audience) => raiseNotice(context, noticeOf(audience), audience.routes, now));

export function raiseNotice(
  context: EngineContext,
  notice: NoticeDetails,
  routes: readonly Route[],
  now: Instant,
): RaisedNotice & { readonly alertId: number } {
  const { store, deliveries } = context;
  const message = noticeMessage(notice, now, instanceOf(context));
  const alertId = store.alerts.insert(null, message);
  enqueueDeliveries(deliveries, { alertId, incidentId: null, monitorId: null, routes, at: now });
  return { alertId, message, deliveries: routes.length };
}

export const namedBy = ({ application, key, declared, policy, monitor }: MonitorRecord): ListedMonitor => ({
  applicationId: application,
  monitorKey: key,
  name: nameOf(policy, declared),
  timezone: monitor.watch.timezone,
});

/** One that cannot be read must not keep the others untold; the log has named it already. */
export function readable(context: EngineContext, id: number): MonitorRecord | null {
  try {
    return loadMonitor(context, id);
  } catch {
    return null;
  }
}
