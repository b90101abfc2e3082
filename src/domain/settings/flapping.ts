// A job that fails again and again (R38): how often it did, how long its recovery waits, and whether another failure is
// the same trouble to those who have not heard that it recovered. Pure.

import type { Severity } from "../message/presentation.ts";
import type { Cause, ClosedBy } from "../monitor/incident.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../time.ts";
import { isAtLeast } from "./hearing.ts";

/** An incident that opens within this of the one before belongs to its series. */
const SERIES_GAP = HOUR;

/** As many incidents as are looked at. */
export const SERIES_MAX = 100;

/** A recovery within a series is told once the job has been well for so long. */
export const WELL_FOR = 15 * MINUTE;

/** Of a job that came into trouble so often within `LATELY` every screen says so, however it stands now. */
export const OFTEN = 3;

/** How far back that counts. */
export const LATELY = DAY;

/** How often it came into trouble lately, and since when. */
export type TroubledLately = Readonly<{ times: number; since: Instant }>;

type Opened = Readonly<{ openedAt: Instant; causes: readonly Cause[] }>;

/** It got into trouble so often; ISO 8601, the last of them at `until`. `failed`: by its own report each time. */
export type Flapping = Readonly<{ times: number; since: string; until: string; failed: boolean }>;

/** Null: the newest is by itself. `incidents`: newest first, `SERIES_MAX` of them. */
export function seriesOf(incidents: readonly Opened[]): Flapping | null {
  const series = whileFollowing(incidents);
  if (series.length < 2) return null;
  const failed = series.every(({ causes }) => causes.every((cause) => cause === "failed"));
  return { times: series.length, since: toIso(series.at(-1)!.openedAt), until: toIso(series[0]!.openedAt), failed };
}

type SeriesIncident = Opened & Readonly<{ acknowledgedAt: Instant | null; closedBy: ClosedBy | null }>;

/**
 * When the newest one's series began, as far as no person has acknowledged or closed an incident of it since, or paused
 * the monitor; null when the newest is by itself. `incidents`: newest first. `askedForQuietAt`: when a person last
 * paused it; null when none did.
 */
export function unansweredSince(incidents: readonly SeriesIncident[], askedForQuietAt: Instant | null): Instant | null {
  const series = whileFollowing(incidents);
  const isAnswered = ({ acknowledgedAt, closedBy, openedAt }: SeriesIncident): boolean =>
    acknowledgedAt !== null || closedBy !== "success" || openedAt < (askedForQuietAt ?? openedAt);
  const answered = series.findIndex((incident, place) => place > 0 && isAnswered(incident));
  const unanswered = answered < 0 ? series : series.slice(0, answered);
  return unanswered.length < 2 ? null : unanswered.at(-1)!.openedAt;
}

/**
 * The newest of them, as long as each begins within an hour of the one before it. One that a clock that was ahead says
 * to have begun later belongs to none.
 */
function whileFollowing<Some extends Opened>(incidents: readonly Some[]): readonly Some[] {
  const apart = incidents.findIndex(
    ({ openedAt }, place) => place > 0 && !follows(incidents[place - 1]!.openedAt - openedAt),
  );
  return apart < 0 ? incidents : incidents.slice(0, apart);
}

const follows = (apartMs: number): boolean => apartMs >= 0 && apartMs <= SERIES_GAP;

type ToldTrouble = Readonly<{ causes: readonly Cause[]; severity: Severity }>;

/** Whether who has heard of the one, and not of its end, need not hear of the other. */
export const isSameTrouble = (told: ToldTrouble, opened: Readonly<{ cause: Cause; severity: Severity }>): boolean =>
  told.causes.includes(opened.cause) && isAtLeast(told.severity, opened.severity);
