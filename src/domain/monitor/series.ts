// A series is a job's repeated failures with short recoveries between them. Reminders and delayed alerts treat a series
// as one trouble (R23, R38): the reminders of a new incident go on where those of the last one stopped. A person who
// has dealt with an incident ends its series. Pure.

import { SERIES_MAX, unattendedSince } from "../telling/flapping.ts";
import type { Instant } from "../time.ts";
import { type Incident, nextReminder, type Reminders } from "./incident.ts";

export type FormerIncident = Readonly<
  Pick<Incident, "openedAt" | "causes" | "acknowledgedAt" | "closedBy" | "closedAt" | "remindersSent">
>;

export interface MonitorPast {
  /** The earlier incidents, the newest first, at most `FORMER_MAX`. */
  readonly former: readonly FormerIncident[];
  /** When a person last paused the monitor; `null` when no person ever did. */
  readonly askedForQuietAt: Instant | null;
}

/** How many earlier incidents are read to find the beginning of a series. */
export const FORMER_MAX = SERIES_MAX - 1;

export const NO_PAST: MonitorPast = { former: [], askedForQuietAt: null };

/**
 * Returns the new incident as a part of its series, if it has one. Its reminders go on where those of the series
 * stopped. A reminder that came due while the job was well comes at once.
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

export const withClosed = (past: MonitorPast, closed: Incident): MonitorPast => ({
  ...past,
  former: [closed, ...past.former].slice(0, FORMER_MAX),
});
