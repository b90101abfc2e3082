// Maintenance: recurring windows in which the configuration asks for a pause by hand (R24). When they begin and until when
// they last; a pause itself is begun and ended elsewhere. Pure.

import { DAY, type Instant, SECOND } from "../time.ts";
import { startsAround } from "./slots.ts";

export interface MaintenanceWindow {
  /** It begins at every time of this expression, one that `checkSchedule` accepts; also where a clock change skips it (R17). */
  readonly schedule: string;
  /** The IANA zone in which it is read; null: the one in which the monitor's own schedule is. */
  readonly timezone: string | null;
  /** By the clock, also where wall clocks are set meanwhile. */
  readonly durationSeconds: number;
}

/** Whether these are the same windows, in the same order. */
export const sameWindows = (some: readonly MaintenanceWindow[], others: readonly MaintenanceWindow[]): boolean =>
  some.length === others.length &&
  some.every(({ schedule, timezone, durationSeconds }, place) => {
    const other = others[place]!;
    return schedule === other.schedule && timezone === other.timezone && durationSeconds === other.durationSeconds;
  });

/** The part of a watch that windows are read from. */
export interface Maintained {
  readonly maintenance: readonly MaintenanceWindow[];
  readonly timezone: string;
}

/** A window as it takes place once; at `until` it is over. */
export interface Maintenance {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * The first window that begins strictly after `after` and lasts beyond `standing`, the end of the pause that stands; of
 * several that begin together the longest. Null when there is none.
 */
export function nextMaintenance(
  { maintenance, timezone }: Maintained,
  after: Instant,
  standing: Instant,
): Maintenance | null {
  let next: Maintenance | null = null;
  for (const window of maintenance) {
    const length = window.durationSeconds * SECOND;
    const from = around(window, timezone, Math.max(after, standing - length)).after;
    if (from === null || (next !== null && next.from < from)) continue;
    if (next === null || from < next.from || from + length > next.until) next = { from, until: from + length };
  }
  return next;
}

/** Until when the windows last in whose span `at` lies; null when it lies in none. */
export function maintenanceUntil({ maintenance, timezone }: Maintained, at: Instant): Instant | null {
  let until: Instant | null = null;
  for (const window of maintenance) {
    const from = around(window, timezone, at).before;
    const end = from === null ? at : from + window.durationSeconds * SECOND;
    if (end > (until ?? at)) until = end;
  }
  return until;
}

/** Whether a pause that lasts until `until` is one that a window after `now` would begin (R26: the clock was wrong). */
export const isOfLaterMaintenance = ({ maintenance, timezone }: Maintained, until: Instant, now: Instant): boolean =>
  maintenance.some((window) => {
    const from = until - window.durationSeconds * SECOND;
    return from > now && around(window, timezone, from).before === from;
  });

/** Any moment does: windows that leave no time between them leave none after it. */
const SOME_TIME: Instant = Date.UTC(2026, 0, 1);
const FOR_EVER: Instant = SOME_TIME + 730 * DAY;
/** More than a month has minutes, so that a month of windows a minute long still comes to its end. */
const LINKS = 50_000;

/**
 * Whether these windows take over from each other without an end, so that nothing would ever be watched. Read in wall time:
 * the hour that a clock change adds is no time to watch in. Of windows in several zones this is not known.
 */
export function pausesForEver(windows: readonly MaintenanceWindow[]): boolean {
  if (windows.some(({ timezone }) => timezone !== windows[0]!.timezone)) return false;
  const maintained = { maintenance: windows.map((window) => ({ ...window, timezone: null })), timezone: "UTC" };
  let until = nextMaintenance(maintained, SOME_TIME, SOME_TIME)?.from ?? null;
  for (let link = 0; until !== null && until < FOR_EVER && link < LINKS; link += 1) {
    until = maintenanceUntil(maintained, until);
  }
  return until !== null;
}

const around = (window: MaintenanceWindow, timezone: string, at: Instant) =>
  startsAround(window.schedule, window.timezone ?? timezone, at);
