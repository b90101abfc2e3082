// Writes moments in words, for messages. It reads no clock; the wall time comes from the zone's offset.

import { offsetPeriodAt } from "../schedule/zone.ts";
import { type Instant, toIso } from "../time.ts";

/**
 * Writes a moment, such as `2026-03-01 03:00:00 Europe/Berlin (02:00:00 UTC)`: wall time and UTC, with a second date
 * where it differs.
 */
export function momentInWords(at: Instant, timezone: string): string {
  const [utcDate, utcTime] = dateAndTime(at);
  const { offset } = offsetPeriodAt(timezone, at);
  const [date, time] = dateAndTime(at + offset);
  if (offset === 0 && /^(Etc\/)?UTC$/i.test(timezone)) return `${utcDate} ${utcTime} UTC`;
  return `${date} ${time} ${timezone} (${date === utcDate ? "" : `${utcDate} `}${utcTime} UTC)`;
}

/** The wall time without seconds, for a subject: `03:00`, or `2026-03-01 23:00` when `beside` lies on another day. */
export function shortMoment(at: Instant, timezone: string, beside: Instant): string {
  const [date, time] = dateAndTime(at + offsetPeriodAt(timezone, at).offset);
  const [otherDate] = dateAndTime(beside + offsetPeriodAt(timezone, beside).offset);
  const minute = time.slice(0, 5);
  return date === otherDate ? minute : `${date} ${minute}`;
}

/** Splits an instant in UTC, or a wall time, into `2026-03-01` and `02:00:00`. */
export function dateAndTime(at: Instant): [date: string, time: string] {
  const iso = toIso(at);
  return [iso.slice(0, 10), iso.slice(11, 19)];
}
