// Computes when maintenance windows begin and end, in which a monitor is paused (R24). The configuration sets them, or
// a person plans them. settle.ts begins and ends the pause. Pure.

import { DAY, type Instant, SECOND } from "../time.ts";
import { type SlotsAround, startsAround } from "./slots.ts";

export type MaintenanceWindow = RecurringWindow | Maintenance;

export interface RecurringWindow {
  /** When the window begins, as a cron expression. If a clock change skips a time, it begins at the change (R17). */
  readonly schedule: string;
  /** The IANA zone in which the expression is read; `null` means the zone of the monitor's schedule. */
  readonly timezone: string | null;
  /** How long the window lasts, by a stopwatch: a clock change neither shortens nor lengthens it. */
  readonly durationSeconds: number;
}

export const sameWindows = (some: readonly MaintenanceWindow[], others: readonly MaintenanceWindow[]): boolean =>
  some.length === others.length &&
  some.every((window, place) => {
    const other = others[place]!;
    if (isOneTimeMaintenance(window) || isOneTimeMaintenance(other))
      return (
        isOneTimeMaintenance(window) &&
        isOneTimeMaintenance(other) &&
        window.from === other.from &&
        window.until === other.until
      );
    const { schedule, timezone, durationSeconds } = window;
    return schedule === other.schedule && timezone === other.timezone && durationSeconds === other.durationSeconds;
  });

export type Maintained = Readonly<{ maintenance: readonly MaintenanceWindow[]; timezone: string }>;

/** One maintenance: a window that comes once, or one of the times of a repeated window. It is over at `until`. */
export type Maintenance = Readonly<{ from: Instant; until: Instant }>;

export const isOneTimeMaintenance = (window: MaintenanceWindow): window is Maintenance => "from" in window;

/**
 * The next maintenance that begins after `after` and ends after `standing`. When a pause is in force, `standing` is its
 * end, because a maintenance that ends earlier changes nothing. Of several that begin together it is the longest.
 * `null` when there is none.
 */
export function nextMaintenance(
  { maintenance, timezone }: Maintained,
  after: Instant,
  standing: Instant,
): Maintenance | null {
  let next: Maintenance | null = null;
  for (const window of maintenance) {
    const length = lengthOf(window);
    const from = around(window, timezone, Math.max(after, standing - length)).after;
    if (from === null || (next !== null && next.from < from)) continue;
    if (next === null || from < next.from || from + length > next.until) next = { from, until: from + length };
  }
  return next;
}

/** The maintenances that are going on at `at`. Of a repeated window it is the one that began last. */
export const maintenancesAt = ({ maintenance, timezone }: Maintained, at: Instant): Maintenance[] =>
  maintenance.flatMap((window) => {
    const from = around(window, timezone, at).before;
    const until = from === null ? at : from + lengthOf(window);
    return from !== null && until > at ? [{ from, until }] : [];
  });

/** When the last of the maintenances ends that are going on at `at`; `null` when none is. */
export const maintenanceUntil = (maintained: Maintained, at: Instant): Instant | null =>
  maintenancesAt(maintained, at).reduce<Instant | null>((last, { until }) => Math.max(last ?? until, until), null);

/** The maintenances of this window that overlap the span, in ascending order, at most 5,000. */
export function occurrencesIn(
  window: MaintenanceWindow,
  timezone: string,
  { from, to }: Readonly<{ from: Instant; to: Instant }>,
): Maintenance[] {
  const alone = { maintenance: [window], timezone };
  const found: Maintenance[] = [];
  let next = nextMaintenance(alone, from - lengthOf(window), from);
  for (; next !== null && next.from <= to && found.length < OCCURRENCES_MAX; ) {
    found.push(next);
    next = nextMaintenance(alone, next.from, from);
  }
  return found;
}

const OCCURRENCES_MAX = 5_000;

/**
 * Whether a pause that ends at `until` belongs to a maintenance that begins only after `now`. Then a clock that was
 * ahead began the pause too early (R26).
 */
export const isOfLaterMaintenance = ({ maintenance, timezone }: Maintained, until: Instant, now: Instant): boolean =>
  maintenance.some((window) => {
    const from = until - lengthOf(window);
    return from > now && around(window, timezone, from).before === from;
  });

/**
 * `pausesForEver` follows the windows from here on. Any other instant would do: if the windows leave no time between
 * them in the two years from here, they never do.
 */
const SOME_TIME: Instant = Date.UTC(2026, 0, 1);
const FOR_EVER: Instant = SOME_TIME + 730 * DAY;
/**
 * How many windows `pausesForEver` follows at most. A month has fewer minutes, so even windows of one minute each are
 * followed for over a month.
 */
const LINKS = 50_000;

/**
 * Whether these windows follow one another without a break, so that the monitor would never be watched. They are
 * compared by what wall clocks show, because the hour that a clock change adds is no time to watch. False when the
 * windows have different zones, because this cannot be decided then.
 */
export function pausesForEver(all: readonly MaintenanceWindow[]): boolean {
  const windows = all.filter((window): window is RecurringWindow => !isOneTimeMaintenance(window));
  if (windows.some(({ timezone }) => timezone !== windows[0]!.timezone)) return false;
  const maintained = { maintenance: windows.map((window) => ({ ...window, timezone: null })), timezone: "UTC" };
  let until = nextMaintenance(maintained, SOME_TIME, SOME_TIME)?.from ?? null;
  for (let link = 0; until !== null && until < FOR_EVER && link < LINKS; link += 1) {
    until = maintenanceUntil(maintained, until);
  }
  return until !== null;
}

/** The window's length in milliseconds. */
const lengthOf = (window: MaintenanceWindow): number =>
  isOneTimeMaintenance(window) ? window.until - window.from : window.durationSeconds * SECOND;

function around(window: MaintenanceWindow, timezone: string, at: Instant): SlotsAround {
  if (!isOneTimeMaintenance(window)) return startsAround(window.schedule, window.timezone ?? timezone, at);
  return window.from > at ? { before: null, after: window.from } : { before: window.from, after: null };
}
