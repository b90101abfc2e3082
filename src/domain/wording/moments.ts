// Writes instants for messages, as the wall time of a zone and in UTC. Reads no clock.

import { offsetPeriodAt } from "../schedule/zone.ts";
import { type Instant, toIso } from "../time.ts";

/**
 * Writes an instant, such as `2026-03-01 03:00:00 Europe/Berlin (02:00:00 UTC)`. UTC has its own date where the dates
 * differ.
 */
export function momentInWords(at: Instant, timezone: string): string {
  const [utcDate, utcTime] = dateAndTime(at);
  const { offset } = offsetPeriodAt(timezone, at);
  const [date, time] = dateAndTime(at + offset);
  if (offset === 0 && /^(Etc\/)?UTC$/i.test(timezone)) return `${utcDate} ${utcTime} UTC`;
  return `${date} ${time} ${timezone} (${date === utcDate ? "" : `${utcDate} `}${utcTime} UTC)`;
}

/**
 * The wall time for a subject: `03:00`. The date is added, as in `2026-03-01 23:00`, when the instant `beside` is on
 * another day.
 */
export function shortMoment(at: Instant, timezone: string, beside: Instant): string {
  const [date, time] = dateAndTimeIn(at, timezone);
  const [otherDate] = dateAndTime(beside + offsetPeriodAt(timezone, beside).offset);
  const minute = time.slice(0, 5);
  return date === otherDate ? minute : `${date} ${minute}`;
}

/**
 * The date and time of an instant in UTC: `2026-03-01`, `02:00:00`. For the wall time of a zone, add the zone's offset
 * to `at`.
 */
export function dateAndTime(at: Instant): [date: string, time: string] {
  const iso = toIso(at);
  return [iso.slice(0, 10), iso.slice(11, 19)];
}

export const dateAndTimeIn = (at: Instant, timezone: string) => dateAndTime(at + offsetPeriodAt(timezone, at).offset);

/** The date of an instant in this zone: `2026-03-01`. */
export const dayOf = (at: Instant, timezone: string): string => dateAndTimeIn(at, timezone)[0];
