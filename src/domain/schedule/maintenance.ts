// Maintenance: windows in which the configuration or a plan asks for a manual pause (R24), once or repeatedly. This
// file says when they begin and how long they last; settle.ts begins and ends the pause. Pure.

import { DAY, type Instant, SECOND } from "../time.ts";
import { type SlotsAround, startsAround } from "./slots.ts";

export type MaintenanceWindow = RecurringWindow | Maintenance;

export interface RecurringWindow {
  /**
   * The window begins at every time of this expression (`checkSchedule`), even if a clock change skips the time (R17).
   */
  readonly schedule: string;
  /** The IANA zone of the expression; `null` when it is read in the zone of the monitor's schedule. */
  readonly timezone: string | null;
  /** The length in elapsed time, even when wall clocks change meanwhile. */
  readonly durationSeconds: number;
}

export const sameWindows = (some: readonly MaintenanceWindow[], others: readonly MaintenanceWindow[]): boolean =>
  some.length === others.length &&
  some.every((window, place) => {
    const other = others[place]!;
    if (isOnce(window) || isOnce(other))
      return isOnce(window) && isOnce(other) && window.from === other.from && window.until === other.until;
    const { schedule, timezone, durationSeconds } = window;
    return schedule === other.schedule && timezone === other.timezone && durationSeconds === other.durationSeconds;
  });

export type Maintained = Readonly<{ maintenance: readonly MaintenanceWindow[]; timezone: string }>;

/** One occurrence of a window, or a window that comes once. It is over at `until`. */
export type Maintenance = Readonly<{ from: Instant; until: Instant }>;

export const isOnce = (window: MaintenanceWindow): window is Maintenance => "from" in window;

/**
 * The first window that begins strictly after `after` and lasts beyond `standing`, the end of the current pause. When
 * several begin together, the longest one counts. `null` when there is none.
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

/** The windows around `at`, each with its latest beginning. */
export const maintenancesAt = ({ maintenance, timezone }: Maintained, at: Instant): Maintenance[] =>
  maintenance.flatMap((window) => {
    const from = around(window, timezone, at).before;
    const until = from === null ? at : from + lengthOf(window);
    return from !== null && until > at ? [{ from, until }] : [];
  });

/** The end of the windows around `at`; `null` when `at` lies in none. */
export const maintenanceUntil = (maintained: Maintained, at: Instant): Instant | null =>
  maintenancesAt(maintained, at).reduce<Instant | null>((last, { until }) => Math.max(last ?? until, until), null);

/** The occurrences that touch a span, in ascending order, up to a limited number. */
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
 * Whether a pause until `until` belongs to a window that begins only after `now`. If so, a clock that was ahead began
 * the pause (R26).
 */
export const isOfLaterMaintenance = ({ maintenance, timezone }: Maintained, until: Instant, now: Instant): boolean =>
  maintenance.some((window) => {
    const from = until - lengthOf(window);
    return from > now && around(window, timezone, from).before === from;
  });

/**
 * The moment at which the windows are compared. Any moment will do, because windows that leave no time between them now
 * never leave any.
 */
const SOME_TIME: Instant = Date.UTC(2026, 0, 1);
const FOR_EVER: Instant = SOME_TIME + 730 * DAY;
/**
 * How many windows are followed, more than a month has minutes, so that a month of one-minute windows still comes to
 * its end.
 */
const LINKS = 50_000;

/**
 * Whether these windows follow one another without end, so that nothing would ever be watched. The times are compared
 * in wall time, because the extra hour of a clock change does not count as time to watch. False when the windows have
 * different zones, because the question then cannot be decided.
 */
export function pausesForEver(all: readonly MaintenanceWindow[]): boolean {
  const windows = all.filter((window): window is RecurringWindow => !isOnce(window));
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
  isOnce(window) ? window.until - window.from : window.durationSeconds * SECOND;

function around(window: MaintenanceWindow, timezone: string, at: Instant): SlotsAround {
  if (!isOnce(window)) return startsAround(window.schedule, window.timezone ?? timezone, at);
  return window.from > at ? { before: null, after: window.from } : { before: window.from, after: null };
}
