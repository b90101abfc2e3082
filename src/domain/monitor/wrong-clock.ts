// While the clock is behind a monitor's stored instants, decisions get instants in the future. Here the clock's time
// replaces them (R26). Pure.

import type { Instant } from "../time.ts";
import type { Incident } from "./incident.ts";
import type { Monitor } from "./monitor.ts";
import type { Transition } from "./transition.ts";

const OF_INCIDENT = ["openedAt", "failedAt", "heardAt", "acknowledgedAt", "closedAt"] as const;

/**
 * Returns the decision with the clock's time in its incidents. After the clock was set back, a decision counts as of
 * the monitor's newest instant, which lies in the future. But people should read when something really happened.
 */
export function byTheClock(decision: Transition, before: Monitor, now: Instant): Transition {
  const told = (incident: Incident): Incident => {
    const known = before.incident?.number === incident.number ? before.incident : null;
    const later = OF_INCIDENT.filter((field) => incident[field] !== known?.[field] && (incident[field] ?? now) > now);
    return later.length === 0 ? incident : { ...incident, ...Object.fromEntries(later.map((field) => [field, now])) };
  };
  const { monitor, alerts } = decision;
  return {
    ...decision,
    monitor: monitor.incident === null ? monitor : { ...monitor, incident: told(monitor.incident) },
    alerts: alerts.map((alert) => ({ ...alert, incident: told(alert.incident) })),
  };
}
