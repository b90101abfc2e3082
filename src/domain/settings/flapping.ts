// Handles a job that fails again and again (R38): how often it failed, how long its recovery waits, and whether a new
// failure is the same trouble for a receiver that was never told of the recovery. Pure.

import type { Severity } from "../message/presentation.ts";
import type { Cause, ClosedBy } from "../monitor/incident.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../time.ts";
import { isAtLeast } from "./hearing.ts";

/** How many milliseconds after the one before an incident may open to belong to its series. */
const SERIES_GAP = HOUR;

/** How many incidents are examined. */
export const SERIES_MAX = 100;

/** For how many milliseconds a job must have been well before a recovery within a series is told. */
export const WELL_FOR = 15 * MINUTE;

/**
 * How often a job must have come into trouble within `LATELY` to be marked so on every screen, however it stands now.
 */
export const OFTEN = 3;

/** For how many milliseconds before now these troubles are counted. */
export const LATELY = DAY;

/** How often it came into trouble lately, and since when. */
export type TroubledLately = Readonly<{ times: number; since: Instant }>;

type Opened = Readonly<{ openedAt: Instant; causes: readonly Cause[] }>;

/**
 * How often the job got into trouble from `since` to `until` (ISO 8601). `failed` is true when each time its own report
 * said so.
 */
export type Flapping = Readonly<{ times: number; since: string; until: string; failed: boolean }>;

/**
 * The series of the newest incident, or `null` when it stands alone. `incidents` has the newest first, at most
 * `SERIES_MAX`.
 */
export function seriesOf(incidents: readonly Opened[]): Flapping | null {
  const series = whileFollowing(incidents);
  if (series.length < 2) return null;
  const failed = series.every(({ causes }) => causes.every((cause) => cause === "failed"));
  return { times: series.length, since: toIso(series.at(-1)!.openedAt), until: toIso(series[0]!.openedAt), failed };
}

type SeriesIncident = Opened & Readonly<{ acknowledgedAt: Instant | null; closedBy: ClosedBy | null }>;

/**
 * When the newest incident's series began. The series is cut where a person acknowledged or closed an incident, or
 * paused the monitor; `null` when the newest incident then stands alone. `incidents` has the newest first.
 * `askedForQuietAt` is when a person last paused the monitor, or `null` when no person did.
 */
export function unattendedSince(incidents: readonly SeriesIncident[], askedForQuietAt: Instant | null): Instant | null {
  const series = whileFollowing(incidents);
  const isAttended = ({ acknowledgedAt, closedBy, openedAt }: SeriesIncident): boolean =>
    acknowledgedAt !== null || closedBy !== "success" || openedAt < (askedForQuietAt ?? openedAt);
  const attended = series.findIndex((incident, place) => place > 0 && isAttended(incident));
  const unattended = attended < 0 ? series : series.slice(0, attended);
  return unattended.length < 2 ? null : unattended.at(-1)!.openedAt;
}

/**
 * The newest incidents, as long as each opened within an hour of the one before it. An incident whose opening lies
 * later, because a clock was ahead, belongs to no series.
 */
function whileFollowing<Some extends Opened>(incidents: readonly Some[]): readonly Some[] {
  const apart = incidents.findIndex(
    ({ openedAt }, place) => place > 0 && !follows(incidents[place - 1]!.openedAt - openedAt),
  );
  return apart < 0 ? incidents : incidents.slice(0, apart);
}

const follows = (apartMs: number): boolean => apartMs >= 0 && apartMs <= SERIES_GAP;

type ToldTrouble = Readonly<{ causes: readonly Cause[]; severity: Severity }>;

/** Whether a receiver that was told of `told`, and not of its end, need not be told of `opened`. */
export const isSameTrouble = (told: ToldTrouble, opened: Readonly<{ cause: Cause; severity: Severity }>): boolean =>
  told.causes.includes(opened.cause) && isAtLeast(told.severity, opened.severity);
