// A job that fails again and again is one trouble for who is reminded of it and for who hears later (R23, R38): a new
// incident goes on where the incidents of its series stopped that no person has dealt with. Pure.

import { SERIES_MAX, unansweredSince } from "../settings/flapping.ts";
import type { Instant } from "../time.ts";
import { type Incident, nextReminder, type Reminders } from "./incident.ts";

/** An earlier incident of the monitor, which is closed. */
export type FormerIncident = Readonly<
  Pick<Incident, "openedAt" | "causes" | "acknowledgedAt" | "closedBy" | "closedAt" | "remindersSent">
>;

/** What an incident that opens has to know of the time before it. */
export interface MonitorPast {
  /** Newest first, `FORMER_MAX` of them. */
  readonly former: readonly FormerIncident[];
  /** When a person last paused the monitor; null when none did. */
  readonly askedForQuietAt: Instant | null;
}

/** As many earlier incidents as are looked at. */
export const FORMER_MAX = SERIES_MAX - 1;

export const NO_PAST: MonitorPast = { former: [], askedForQuietAt: null };

/**
 * The incident as the newest of its series, whose reminders go on; one that came due while the job was well comes with
 * this failure.
 */
export function inSeries(opened: Incident, reminders: Reminders, { former, askedForQuietAt }: MonitorPast): Incident {
  const [last] = former;
  if (last === undefined) return opened;
  const seriesSince = unansweredSince([opened, ...former], askedForQuietAt);
  if (seriesSince === null) return opened;
  const { remindersSent } = last;
  const inIt = { ...opened, seriesSince, remindersSent };
  if (remindersSent >= reminders.max) return { ...inIt, remindAt: null };
  return { ...inIt, remindAt: nextReminder(reminders, inIt, last.closedAt ?? opened.openedAt) };
}

/** What the next incident has to know, once this one is closed. */
export const withClosed = (past: MonitorPast, closed: Incident): MonitorPast => ({
  ...past,
  former: [closed, ...past.former].slice(0, FORMER_MAX),
});
