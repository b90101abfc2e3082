// What a destination hears, and when (R38): from which severity on, of which environments, outside its quiet hours, and
// at once or only of what no one has acknowledged. Pure.

import { SEVERITIES, type Severity } from "../message/presentation.ts";
import { nextSlot, startsAround } from "../schedule/slots.ts";
import { DAY, type Instant, SECOND } from "../time.ts";

/** Times of day in the zone of rollcall, as cron expressions of when they begin and end. */
export type QuietHours = Readonly<{ begin: string; end: string }>;

export interface Hearing {
  /** Alerts below it do not go there. */
  readonly severity?: Severity;
  /** Only alerts of these; left out: of all. */
  readonly environments?: readonly string[];
  /** Alerts that come then wait for their end. */
  readonly quiet?: readonly QuietHours[];
  /** From this severity on alerts wait for no end. */
  readonly urgent?: Severity;
  /** It hears of an incident that no one has acknowledged this long after it was told. */
  readonly afterSeconds?: number;
}

export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);

/** Not before this instant an alert that is due at `at` goes there; `at`: at once. */
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

/** A week of quiet hours that follow one another has fewer. */
const STEPS_MAX = 64;

function quietUntil(quiet: readonly QuietHours[], timezone: string, at: Instant): Instant | null {
  for (const { begin, end } of quiet) {
    const { before } = startsAround(begin, timezone, at);
    const until = before === null ? null : startsAround(end, timezone, before).after;
    if (until !== null && until > at) return until;
  }
  return null;
}

/** How long quiet hours may follow one another. */
export const QUIET_MAX = 4 * DAY;

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WRITTEN = /^(?:([a-z,-]+) +)?(\d\d?):([0-5]\d) *- *(\d\d?):([0-5]\d)$/i;

/** `22:00-07:00`, `Mon-Fri 20:00-06:30`, `Sat,Sun 00:00-24:00`; null: it is none. */
export function parseQuiet(text: string): QuietHours | null {
  const [, days, ...times] = WRITTEN.exec(text.trim()) ?? [];
  if (times.length === 0) return null;
  const [hour, minute, endHour, endMinute] = times.map(Number) as [number, number, number, number];
  const on = days === undefined ? "*" : daysIn(days.toLowerCase());
  if (on === null || hour > 23 || endHour * 60 + endMinute > 24 * 60) return null;
  return { begin: `${minute} ${hour} * * ${on}`, end: `${endMinute} ${endHour % 24} * * *` };
}

/** As a field of a cron expression. */
function daysIn(text: string): string | null {
  const all = text.split(",").flatMap((part) => {
    const [first = -1, last = first, ...more] = part.split("-").map((day) => DAYS.indexOf(day.slice(0, 3)));
    if (first < 0 || last < 0 || more.length > 0) return [Number.NaN];
    return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, place) => (first + place) % 7);
  });
  return all.some(Number.isNaN) ? null : [...new Set(all)].join(",");
}

/** Whether they leave time in which alerts are told: none follow one another for longer than `QUIET_MAX`. */
export function leaveTime(quiet: readonly QuietHours[]): boolean {
  return quiet.every(({ begin }) =>
    DAYS.every((_, day) => {
      const from = nextSlot(begin, "UTC", SOME_SUNDAY + day * DAY);
      return from === null || heardFrom({ quiet }, "info", "UTC", from) - from <= QUIET_MAX;
    }),
  );
}

const SOME_SUNDAY: Instant = Date.UTC(2026, 0, 4) - SECOND;
