// Notices: what is worth knowing about ourselves, told to those who would hear of the monitors concerned, one message per
// destination (R26, R33). Writes alerts without an incident, and their deliveries; runs inside the caller's transaction.

import type { Notice } from "../../domain/message/notice.ts";
import { type NoticeMessage, noticeMessage } from "../../domain/message/notice-message.ts";
import { monitorPolicy, nameOf, noticeRoutesOf, type Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import { enqueueDeliveries } from "../../store/deliveries.ts";
import { type EngineContext, houseOf } from "../context.ts";
import type { MonitorRecord } from "../monitor-records.ts";
import { loadMonitor } from "../monitor-records.ts";

export interface RaisedNotice {
  readonly message: NoticeMessage;
  /** 0: only the log reports it. */
  readonly deliveries: number;
}

/** How notices name a monitor. */
export interface Named {
  readonly application: string;
  readonly key: string;
}

/** Writes one notice for each destination of these monitors, about those that it hears of. */
export function raiseNotices<Monitor extends Named>(
  context: EngineContext,
  monitors: readonly Monitor[],
  noticeOf: (monitors: readonly Monitor[]) => Notice,
  now: Instant,
): RaisedNotice[] {
  return [...byDestination(context, monitors).values()].map(({ routes, heardOf }) =>
    raiseNotice(context, noticeOf(heardOf), routes, now),
  );
}

/** Writes one notice for these routes. */
export function raiseNotice(
  context: EngineContext,
  notice: Notice,
  routes: readonly Route[],
  now: Instant,
): RaisedNotice & { readonly alertId: number } {
  const { store, deliveries } = context;
  const message = noticeMessage(notice, now, houseOf(context));
  const alertId = store.alerts.insert(null, message);
  enqueueDeliveries(deliveries, { alertId, incidentId: null, monitorId: null, routes, at: now });
  return { alertId, message, deliveries: routes.length };
}

interface Addressed<Monitor> {
  readonly routes: readonly Route[];
  readonly heardOf: Monitor[];
}

/** Monitors without any destination stand together under the empty name: only the log reports them. */
function byDestination<Monitor extends Named>(
  context: EngineContext,
  monitors: readonly Monitor[],
): Map<string, Addressed<Monitor>> {
  const audiences = new Map<string, Addressed<Monitor>>();
  for (const monitor of monitors) {
    const routes = noticeRoutesOf(monitorPolicy(context.policy, monitor.application, monitor.key));
    const names = routes.length === 0 ? [""] : new Set(routes.map(({ destination }) => destination));
    for (const name of names) {
      const audience = audiences.get(name) ?? {
        routes: routes.filter(({ destination }) => destination === name),
        heardOf: [],
      };
      audience.heardOf.push(monitor);
      audiences.set(name, audience);
    }
  }
  return audiences;
}

/** How notices name a stored monitor, and what was in force for it. */
export const namedBy = ({ application, key, declared, policy, monitor }: MonitorRecord) => ({
  application,
  key,
  name: nameOf(policy, declared),
  watch: monitor.watch,
});

/** One that cannot be read must not keep the others untold; the log has named it already. */
export function readable(context: EngineContext, id: number): MonitorRecord | null {
  try {
    return loadMonitor(context, id);
  } catch {
    return null;
  }
}
