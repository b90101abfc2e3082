// Ends that are owed (R36): who was told of an incident, and is no destination or member when it ends, hears of its end
// once they are back. One wrong reload must not leave a pager red for ever.

import type { Route } from "../domain/settings/policy.ts";
import { routesAt } from "../domain/settings/routes.ts";
import type { Instant } from "../domain/time.ts";
import { enqueueDeliveries } from "../store/deliveries.ts";
import type { MonitorRecord } from "../views/monitor-records.ts";
import type { EngineContext } from "./context.ts";

/** Why what waits at a destination is given up when it is taken out. */
export const NOT_CONFIGURED = "the destination is not configured any more";
const GONE = "it was no destination when the incident ended";
const BACK = "it was no destination when the incident ended; sent once it was one again";

const isThere = ({ policy }: Pick<EngineContext, "policy">, slug: string, { destination, recipient }: Route): boolean =>
  routesAt(policy, destination, slug)?.some((route) => route.recipient === recipient) ?? false;

/** Keeps the end of an incident for those of `told` that are gone. In the transaction that tells it. */
export function keepOwed(
  context: EngineContext,
  { id: monitorId, application }: MonitorRecord,
  told: readonly Route[],
  end: Readonly<{ alertId: number; incidentId: number; at: Instant }>,
): void {
  for (const { destination, recipient } of told.filter((route) => !isThere(context, application, route)))
    context.deliveries.insertNotSent.run({ ...end, monitorId, destination, recipient, answer: GONE, knownBy: null });
}

/**
 * Tells the ends that are owed to who is there again, each with the trouble that goes on since, or it would be the last
 * word. Returns whether there was any. In a transaction.
 */
export function tellOwed(context: EngineContext, at: Instant): boolean {
  const { deliveries, policy, store } = context;
  let isAny = false;
  for (const destination of policy.destinations.keys()) {
    const owed = deliveries.owedAt.all({ destination, notSent: GONE, givenUp: NOT_CONFIGURED });
    for (const { id, alertId, incidentId, monitorId, recipient, application, openSince } of owed) {
      const route = { destination, recipient };
      if (!isThere(context, application ?? "", route)) continue;
      isAny = true;
      deliveries.setAnswer.run({ id, answer: BACK });
      enqueueDeliveries(deliveries, { alertId, incidentId, monitorId, routes: [route], at });
      const opening = openSince === null ? null : store.alerts.openingOf(openSince);
      if (opening === null) continue;
      enqueueDeliveries(deliveries, { alertId: opening.id, incidentId: openSince, monitorId, routes: [route], at });
    }
  }
  return isAny;
}
