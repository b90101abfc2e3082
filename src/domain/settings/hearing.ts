// Which alerts a destination gets, and when (R38): from which severity, of which environments, outside its quiet hours,
// and at once or only when no person has acknowledged them. Pure.

import { SEVERITIES, type Severity } from "../message/presentation.ts";
import { nextSlot, startsAround } from "../schedule/slots.ts";
import { DAY, type Instant, SECOND } from "../time.ts";

/**
 * A time of quiet in rollcall's zone, every day or on some days. `begin` and `end` are cron expressions of its starts
 * and its ends.
 */
export type QuietHours = Readonly<{ begin: string; end: string }>;

export interface Hearing {
  /** The least severity of alerts that go to the destination. */
  readonly severity?: Severity;
  /** The environments whose alerts go there; without them those of all environments do. */
  readonly environments?: readonly string[];
  /** The quiet hours: an alert that becomes due in them waits for their end. */
  readonly quiet?: readonly QuietHours[];
  /** The severity from which on alerts do not wait for the end of quiet hours. */
  readonly urgent?: Severity;
  /**
   * How many seconds after trouble began the destination is told of it, if no person has acknowledged it; absent when
   * it is told at once.
   */
  readonly afterSeconds?: number;
}

export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);

/** The earliest instant at which an alert that is due at `at` goes to the destination; `at` itself means at once. */
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

/** How many steps are taken at most through quiet hours that follow one another; those of a week take fewer. */
const STEPS_MAX = 64;

function quietUntil(quiet: readonly QuietHours[], timezone: string, at: Instant): Instant | null {
  for (const { begin, end } of quiet) {
    const { before } = startsAround(begin, timezone, at);
    const until = before === null ? null : startsAround(end, timezone, before).after;
    if (until !== null && until > at) return until;
  }
  return null;
}

/** How many milliseconds quiet hours may last when they follow one another. */
export const QUIET_MAX = 4 * DAY;

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WRITTEN = /^(?:([a-z,-]+) +)?(\d\d?):([0-5]\d) *- *(\d\d?):([0-5]\d)$/i;

/**
 * Reads for example `22:00-07:00`, `Mon-Fri 20:00-06:30` or `Sat,Sun 00:00-24:00`; `null` when the text has another
 * form.
 */
export function parseQuiet(text: string): QuietHours | null {
  const [, days, ...times] = WRITTEN.exec(text.trim()) ?? [];
  if (times.length === 0) return null;
  const [hour, minute, endHour, endMinute] = times.map(Number) as [number, number, number, number];
  const on = days === undefined ? "*" : daysIn(days.toLowerCase());
  if (on === null || hour > 23 || endHour * 60 + endMinute > 24 * 60) return null;
  return { begin: `${minute} ${hour} * * ${on}`, end: `${endMinute} ${endHour % 24} * * *` };
}

/** Returns the days as a field of a cron expression. */
function daysIn(text: string): string | null {
  const all = text.split(",").flatMap((part) => {
    const [first = -1, last = first, ...more] = part.split("-").map((day) => DAYS.indexOf(day.slice(0, 3)));
    if (first < 0 || last < 0 || more.length > 0) return [Number.NaN];
    return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, place) => (first + place) % 7);
  });
  return all.some(Number.isNaN) ? null : [...new Set(all)].join(",");
}

/** Whether the quiet hours leave time in which alerts are told: no row of them lasts longer than `QUIET_MAX`. */
export function leaveTime(quiet: readonly QuietHours[]): boolean {
  return quiet.every(({ begin }) =>
    DAYS.every((_, day) => {
      const from = nextSlot(begin, "UTC", SOME_SUNDAY + day * DAY);
      return from === null || heardFrom({ quiet }, "info", "UTC", from) - from <= QUIET_MAX;
    }),
  );
}

const SOME_SUNDAY: Instant = Date.UTC(2026, 0, 4) - SECOND;
