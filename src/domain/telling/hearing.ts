// Which alerts a destination gets, and when (R38): from which severity on, of which environments, outside its quiet
// hours, and perhaps only when no person has acknowledged the incident. Pure.

import { SEVERITIES, type Severity } from "../message/presentation.ts";
import { nextSlot, startsAround } from "../schedule/slots.ts";
import { DAY, type Instant, SECOND } from "../time.ts";

/** Quiet hours in rollcall's time zone: cron expressions for the times at which they begin and end. */
export type QuietHours = Readonly<{ begin: string; end: string }>;

export interface Hearing {
  /** Only alerts of this or a higher severity go to the destination; absent when alerts of every severity go there. */
  readonly severity?: Severity;
  /** Only alerts of these environments go to the destination; absent when those of all environments go there. */
  readonly environments?: readonly string[];
  /** An alert that becomes due in these quiet hours waits for their end. */
  readonly quiet?: readonly QuietHours[];
  /** Alerts of this or a higher severity do not wait for the end of quiet hours; absent when all alerts wait. */
  readonly urgent?: Severity;
  /**
   * The destination is told of trouble only after this many seconds, and only if no person has acknowledged it by then.
   * Absent when the destination is told at once.
   */
  readonly afterSeconds?: number;
}

export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);

/** When an alert that is due at `at` goes to the destination: at the end of quiet hours, or at `at` itself. */
export function heardFrom({ quiet = [], urgent }: Hearing, severity: Severity, timezone: string, at: Instant): Instant {
  if (urgent !== undefined && isAtLeast(severity, urgent)) return at;
  let from = at;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const end = quietUntil(quiet, timezone, from);
    if (end === null) return from;
    from = end;
  }
  return from;
}

/** The most spans of quiet hours, one after another, that are looked at. A week has fewer. */
const STEPS_MAX = 64;

function quietUntil(quiet: readonly QuietHours[], timezone: string, at: Instant): Instant | null {
  for (const { begin, end } of quiet) {
    const { before } = startsAround(begin, timezone, at);
    const until = before === null ? null : startsAround(end, timezone, before).after;
    if (until !== null && until > at) return until;
  }
  return null;
}

/** How many milliseconds quiet hours that follow one another may last together. */
export const QUIET_MAX = 4 * DAY;

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WRITTEN = /^(?:([a-z,-]+) +)?(\d\d?):([0-5]\d) *- *(\d\d?):([0-5]\d)$/i;

/** Reads quiet hours, such as `22:00-07:00`, `Mon-Fri 20:00-06:30` or `Sat,Sun 00:00-24:00`; `null` for other texts. */
export function parseQuiet(text: string): QuietHours | null {
  const [, days, ...times] = WRITTEN.exec(text.trim()) ?? [];
  if (times.length === 0) return null;
  const [hour, minute, endHour, endMinute] = times.map(Number) as [number, number, number, number];
  const on = days === undefined ? "*" : daysIn(days.toLowerCase());
  if (on === null || hour > 23 || endHour * 60 + endMinute > 24 * 60) return null;
  return { begin: `${minute} ${hour} * * ${on}`, end: `${endMinute} ${endHour % 24} * * *` };
}

/** Converts days such as `mon-fri` to a field of a cron expression; `null` when one is no day. */
function daysIn(text: string): string | null {
  const all = text.split(",").flatMap((part) => {
    const [first = -1, last = first, ...more] = part.split("-").map((day) => DAYS.indexOf(day.slice(0, 3)));
    if (first < 0 || last < 0 || more.length > 0) return [Number.NaN];
    return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, place) => (first + place) % 7);
  });
  return all.some(Number.isNaN) ? null : [...new Set(all)].join(",");
}

/** Whether quiet hours leave time to tell alerts: following one another, they never last over `QUIET_MAX`. */
export function leaveTime(quiet: readonly QuietHours[]): boolean {
  return quiet.every(({ begin }) =>
    DAYS.every((_, day) => {
      const from = nextSlot(begin, "UTC", SOME_SUNDAY + day * DAY);
      return from === null || heardFrom({ quiet }, "info", "UTC", from) - from <= QUIET_MAX;
    }),
  );
}

const SOME_SUNDAY: Instant = Date.UTC(2026, 0, 4) - SECOND;
