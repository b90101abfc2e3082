// A job that fails again and again is one trouble for who is reminded of it and for who hears later (R23, R38): a new
// incident goes on where the incidents of its series stopped that no person has dealt with. Pure.

import { SERIES_MAX, unansweredSince } from "../settings/flapping.ts";
import type { Instant } from "../time.ts";
import { type Incident, nextReminder } from "./incident.ts";
import type { Gap } from "./monitor.ts";
import { type Transition, transition } from "./transition.ts";

/** An earlier incident of the monitor, which is closed. */
export type FormerIncident = Readonly<
  Pick<Incident, "openedAt" | "causes" | "acknowledgedAt" | "closedBy" | "closedAt" | "remindersSent">
>;

/** Whether a transition opened an incident, so that there may be a series; `countBefore`: incidents before it. */
export const opensAnother = ({ monitor }: Transition, countBefore: number): boolean =>
  countBefore > 0 && monitor.incident !== null && monitor.incident.number > countBefore;

/**
 * The transition with the incident that it opened as the newest of its series, whose reminders go on; one that came due
 * while the job was well comes with this failure. `former`: newest first, `FORMER_MAX` of them. `askedForQuietAt`: when
 * a person last paused the monitor; null when none did.
 */
export function continueSeries(
  decision: Transition,
  former: readonly FormerIncident[],
  askedForQuietAt: Instant | null,
  now: Instant,
  gaps: readonly Gap[],
): Transition {
  const { monitor } = decision;
  const opened = monitor.incident;
  const [last] = former;
  if (opened === null || last === undefined) return decision;
  const seriesSince = unansweredSince([opened, ...former], askedForQuietAt);
  if (seriesSince === null) return decision;
  const { reminders } = monitor.watch;
  const remindAt =
    last.remindersSent >= reminders.max ? null : nextReminder(reminders, seriesSince, last.closedAt ?? opened.openedAt);
  const incident: Incident = { ...opened, seriesSince, remindAt, remindersSent: last.remindersSent };
  const alerts = decision.alerts.map((alert) =>
    alert.incident.number === opened.number ? inSeries(alert, incident) : alert,
  );
  const settled = transition({ ...monitor, incident }, { kind: "wake" }, now, gaps);
  return {
    ...decision,
    monitor: settled.monitor,
    alerts: [...alerts, ...settled.alerts],
    unknowns: [...decision.unknowns, ...settled.unknowns],
  };
}

/** The alert of an incident, which is known to be of a series by now. */
const inSeries = (
  alert: Transition["alerts"][number],
  { seriesSince, remindAt, remindersSent }: Incident,
): Transition["alerts"][number] => ({
  ...alert,
  incident: {
    ...alert.incident,
    seriesSince,
    remindersSent,
    remindAt: alert.incident.remindAt === null ? null : remindAt,
  },
});

/** As many earlier incidents as are looked at. */
export const FORMER_MAX = SERIES_MAX - 1;
