// Rules for a job that fails again and again (R38). They say which of its incidents form a series, how long a recovery
// within a series waits, and when a new incident is no news for a receiver. Pure.

import type { Severity } from "../message/presentation.ts";
import type { Cause, ClosedBy } from "../monitor/incident.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../time.ts";
import { isAtLeast } from "./hearing.ts";

/** An incident belongs to the series of the incident before it when it opens at most this many milliseconds later. */
const SERIES_GAP = HOUR;

/** The most incidents of a job that are looked at to find its series. */
export const SERIES_MAX = 100;

/** Within a series a recovery is told only after the job has been well for this many milliseconds. */
export const WELL_FOR = 15 * MINUTE;

/** A job that came into trouble this often within `LATELY` is marked on every screen, even if it is well now. */
export const OFTEN = 3;

/** The troubles of this many milliseconds before now are counted for `OFTEN`. */
export const LATELY = DAY;

/** How often a job came into trouble lately, and when the first of these troubles began. */
export type TroubledLately = Readonly<{ times: number; since: Instant }>;

type Opened = Readonly<{ openedAt: Instant; causes: readonly Cause[] }>;

/**
 * A series of troubles: how many, and when the first (`since`) and the last (`until`) began, in ISO 8601. `failed` is
 * true when the job reported a failure each time, and nothing else was wrong.
 */
export type Flapping = Readonly<{ times: number; since: string; until: string; failed: boolean }>;

/** The series of the newest incident; `null` when it is alone. `incidents` has the newest first, up to `SERIES_MAX`. */
export function seriesOf(incidents: readonly Opened[]): Flapping | null {
  const series = whileFollowing(incidents);
  if (series.length < 2) return null;
  const failed = series.every(({ causes }) => causes.every((cause) => cause === "failed"));
  return { times: series.length, since: toIso(series.at(-1)!.openedAt), until: toIso(series[0]!.openedAt), failed };
}

type SeriesIncident = Opened & Readonly<{ acknowledgedAt: Instant | null; closedBy: ClosedBy | null }>;

/**
 * When the newest incident's series began; `null` when that incident stands alone. `incidents` has the newest first. An
 * earlier incident that a person acknowledged, or that no success closed, does not count, nor does any before it. The
 * same holds for incidents from before a person last paused the monitor (`askedForQuietAt`, `null` when no person did).
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
 * The newest incidents, as far as each opened within an hour after the one before it. An older incident with a later
 * opening (the clock was ahead) ends the series.
 */
function whileFollowing<Some extends Opened>(incidents: readonly Some[]): readonly Some[] {
  const apart = incidents.findIndex(
    ({ openedAt }, place) => place > 0 && !follows(incidents[place - 1]!.openedAt - openedAt),
  );
  return apart < 0 ? incidents : incidents.slice(0, apart);
}

const follows = (apartMs: number): boolean => apartMs >= 0 && apartMs <= SERIES_GAP;

type ToldTrouble = Readonly<{ causes: readonly Cause[]; severity: Severity }>;

/**
 * Whether a new incident (`opened`) is no news for a receiver: its cause is one of the causes of `told`, and its
 * severity is no higher. `told` is trouble of which the receiver was told, and whose end it was not told.
 */
export const isSameTrouble = (told: ToldTrouble, opened: Readonly<{ cause: Cause; severity: Severity }>): boolean =>
  told.causes.includes(opened.cause) && isAtLeast(told.severity, opened.severity);
