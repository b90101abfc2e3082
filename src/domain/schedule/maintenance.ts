// Maintenance: windows in which the configuration or a plan asks for a pause by hand (R24), once or again and again.
// Says when they begin and how long they last; settle.ts begins and ends the pause. Pure.

import { DAY, type Instant, SECOND } from "../time.ts";
import { type SlotsAround, startsAround } from "./slots.ts";

export type MaintenanceWindow = RecurringWindow | Maintenance;

export interface RecurringWindow {
  /** It begins at every time of this expression (`checkSchedule`), also where a clock change skips the time (R17). */
  readonly schedule: string;
  /** The IANA zone of the expression; null: the zone of the monitor's own schedule. */
  readonly timezone: string | null;
  /** In elapsed time, even when wall clocks change meanwhile. */
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

/** One occurrence of a window, or a window that comes once; it is over at `until`. */
export type Maintenance = Readonly<{ from: Instant; until: Instant }>;

export const isOnce = (window: MaintenanceWindow): window is Maintenance => "from" in window;

/**
 * The first window that begins strictly after `after` and lasts beyond `standing`, the end of the standing pause. When
 * several begin together, the longest. Null when there is none.
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

/** The windows around `at`, each as it began last. */
export const maintenancesAt = ({ maintenance, timezone }: Maintained, at: Instant): Maintenance[] =>
  maintenance.flatMap((window) => {
    const from = around(window, timezone, at).before;
    const until = from === null ? at : from + lengthOf(window);
    return from !== null && until > at ? [{ from, until }] : [];
  });

/** Until when the windows around `at` last; null when `at` lies in none. */
export const maintenanceUntil = (maintained: Maintained, at: Instant): Instant | null =>
  maintenancesAt(maintained, at).reduce<Instant | null>((last, { until }) => Math.max(last ?? until, until), null);

/** The occurrences that touch a span, ascending, as far as there are not too many. */
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

/** Whether a window after `now` would begin a pause that lasts until `until` (R26: the clock was wrong). */
export const isOfLaterMaintenance = ({ maintenance, timezone }: Maintained, until: Instant, now: Instant): boolean =>
  maintenance.some((window) => {
    const from = until - lengthOf(window);
    return from > now && around(window, timezone, from).before === from;
  });

/** Any moment will do: windows that leave no time between them leave none after it either. */
const SOME_TIME: Instant = Date.UTC(2026, 0, 1);
const FOR_EVER: Instant = SOME_TIME + 730 * DAY;
/** More than the minutes of a month, so that a month of one-minute windows still comes to its end. */
const LINKS = 50_000;

/**
 * Whether these windows follow one another without an end, so that nothing would ever be watched. Read in wall time:
 * the hour that a clock change adds is no time to watch in. Unknown when the windows have several zones.
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

/** Milliseconds. */
const lengthOf = (window: MaintenanceWindow): number =>
  isOnce(window) ? window.until - window.from : window.durationSeconds * SECOND;

function around(window: MaintenanceWindow, timezone: string, at: Instant): SlotsAround {
  if (!isOnce(window)) return startsAround(window.schedule, window.timezone ?? timezone, at);
  return window.from > at ? { before: null, after: window.from } : { before: window.from, after: null };
}
