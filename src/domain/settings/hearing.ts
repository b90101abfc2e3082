// Which alerts a destination gets, and when (R38): from which severity, of which environments, outside its quiet hours,
// and at once or only when no person has acknowledged them. Pure.

import { SEVERITIES, type Severity } from "../message/presentation.ts";
import { nextSlot, startsAround } from "../schedule/slots.ts";
import { DAY, type Instant, SECOND } from "../time.ts";

/** Times of day in rollcall's zone. `begin` and `end` are cron expressions of the starts and the ends. */
export type QuietHours = Readonly<{ begin: string; end: string }>;

export interface Hearing {
  /** Alerts below this severity do not go to the destination. */
  readonly severity?: Severity;
  /** Only alerts of these environments go there; without it those of all environments do. */
  readonly environments?: readonly string[];
  /** Alerts that become due in quiet hours wait for their end. */
  readonly quiet?: readonly QuietHours[];
  /** Alerts of this severity or worse do not wait for the end of quiet hours. */
  readonly urgent?: Severity;
  /** The destination is told of an incident only if no person has acknowledged it this long after its trouble began. */
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

/** A week of quiet hours that follow one another takes fewer steps than this. */
const STEPS_MAX = 64;

function quietUntil(quiet: readonly QuietHours[], timezone: string, at: Instant): Instant | null {
  for (const { begin, end } of quiet) {
    const { before } = startsAround(begin, timezone, at);
    const until = before === null ? null : startsAround(end, timezone, before).after;
    if (until !== null && until > at) return until;
  }
  return null;
}

/** How long quiet hours may last when they follow one another. */
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
