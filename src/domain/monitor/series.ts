// A series is a job's repeated failures with short recoveries between them. Reminders and delayed alerts treat it as
// one trouble (R23, R38): a new incident continues where the earlier ones stopped, unless a person dealt with them.
// Pure.

import { SERIES_MAX, unattendedSince } from "../settings/flapping.ts";
import type { Instant } from "../time.ts";
import { type Incident, nextReminder, type Reminders } from "./incident.ts";

/** An earlier incident of the monitor, now closed. */
export type FormerIncident = Readonly<
  Pick<Incident, "openedAt" | "causes" | "acknowledgedAt" | "closedBy" | "closedAt" | "remindersSent">
>;

/** What a new incident needs to know about the time before it. */
export interface MonitorPast {
  /** The earlier incidents, the newest first, at most `FORMER_MAX`. */
  readonly former: readonly FormerIncident[];
  /** When a person last paused the monitor; `null` when no person ever did. */
  readonly askedForQuietAt: Instant | null;
}

/** How many earlier incidents are examined. */
export const FORMER_MAX = SERIES_MAX - 1;

export const NO_PAST: MonitorPast = { former: [], askedForQuietAt: null };

/**
 * Returns the incident as the newest of its series. The reminders of the series go on, and one that came due while the
 * job was well comes with this failure.
 */
export function inSeries(opened: Incident, reminders: Reminders, { former, askedForQuietAt }: MonitorPast): Incident {
  const [last] = former;
  if (last === undefined) return opened;
  const seriesSince = unattendedSince([opened, ...former], askedForQuietAt);
  if (seriesSince === null) return opened;
  const { remindersSent } = last;
  const inIt = { ...opened, seriesSince, remindersSent };
  if (remindersSent >= reminders.max) return { ...inIt, remindAt: null };
  return { ...inIt, remindAt: nextReminder(reminders, inIt, last.closedAt ?? opened.openedAt) };
}

/** Returns what the next incident needs to know once this one is closed. */
export const withClosed = (past: MonitorPast, closed: Incident): MonitorPast => ({
  ...past,
  former: [closed, ...past.former].slice(0, FORMER_MAX),
});
