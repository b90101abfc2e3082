// Writes ages and lengths of time as short as lists need them, such as `3 min ago` or `1 min 15 s`.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../time.ts";
import { durationInWords } from "./spoken-time.ts";

const UNITS = [
  { from: 2 * DAY, length: DAY, unit: "d" },
  { from: 2 * HOUR, length: HOUR, unit: "h" },
  { from: 2 * MINUTE, length: MINUTE, unit: "min" },
  { from: 0, length: SECOND, unit: "s" },
] as const;

/** How far an instant is from now: `3 min ago`, `in 2 h` or `now`. */
export function ago(at: Instant, now: Instant): string {
  const distance = distanceOf(at, now);
  if (distance === 0) return "now";
  return distance > 0 ? `in ${rounded(distance)}` : `${rounded(-distance)} ago`;
}

/** How far something that is due is from now: `in 9 h`, `now` or `4 min late`. */
export function dueInWords(at: Instant, now: Instant): string {
  const distance = distanceOf(at, now);
  return distance >= 0 ? ago(at, now) : `${rounded(-distance)} late`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/**
 * Writes an instant as wall time: `08:00` today, `Monday 08:00` within six days, otherwise `2026-03-20 08:00`. `offset`
 * is the zone's distance from UTC in milliseconds.
 */
export function dayAndTime(at: Instant, now: Instant, offset: number): string {
  const wall = new Date(at + offset);
  const [date, time] = [wall.toISOString().slice(0, 10), wall.toISOString().slice(11, 16)];
  if (date === new Date(now + offset).toISOString().slice(0, 10)) return time;
  return `${Math.abs(at - now) < 6 * DAY ? WEEKDAYS[wall.getUTCDay()] : date} ${time}`;
}

const distanceOf = (at: Instant, now: Instant): number => Math.round((at - now) / SECOND) * SECOND;

function rounded(milliseconds: number): string {
  const { length, unit } = UNITS.find(({ from }) => milliseconds >= from)!;
  return `${Math.round(milliseconds / length)} ${unit}`;
}

const PARTS = [
  { length: DAY, unit: "d" },
  { length: HOUR, unit: "h" },
  { length: MINUTE, unit: "min" },
  { length: SECOND, unit: "s" },
] as const;

/**
 * Spans shorter than this show milliseconds, as in `1.234 s`, because most jobs that run every minute take less time.
 */
const SHOWN_EXACTLY = 10 * SECOND;

/** A length of time in one unit: `34 ms`, `72 s` or `10 min`. */
export const aboutSpan = (milliseconds: number): string =>
  milliseconds < SECOND ? span(milliseconds) : rounded(Math.round(milliseconds / SECOND) * SECOND);

/** A length of time in at most two units, rounded: `34 ms`, `1.234 s`, `1 min 15 s`, `24 h 1 min` or `2 d 3 h`. */
export function span(milliseconds: number): string {
  if (milliseconds < SECOND) return milliseconds === 0 ? "0 s" : `${milliseconds} ms`;
  if (milliseconds < SHOWN_EXACTLY && milliseconds % SECOND !== 0) return `${(milliseconds / SECOND).toFixed(3)} s`;
  const largest = PARTS.findIndex(({ length }, place) => milliseconds >= (place === 0 ? 2 : 1) * length);
  const { length: step } = PARTS[largest + 1] ?? PARTS[largest]!;
  const left = Math.round(milliseconds / step) * step;
  // Rounding may have made the next larger unit full, so the rounded span is written instead.
  if (left !== milliseconds) return span(left);
  return PARTS.slice(largest, largest + 2)
    .map(({ length, unit }, place) => [Math.floor((place === 0 ? left : left % PARTS[largest]!.length) / length), unit])
    .filter(([count]) => count !== 0)
    .map((part) => part.join(" "))
    .join(" ");
}

/** The time since an instant in whole seconds, such as `1 h 12 min`. */
const lasting = (since: Instant, now: Instant): string =>
  span(Math.max(0, Math.floor((now - since) / SECOND) * SECOND));

/** The time since an instant, rounded down to its largest unit: `9 days`. */
function elapsedInWords(since: Instant, now: Instant): string {
  const unit = [DAY, HOUR, MINUTE].find((one) => now - since >= one) ?? SECOND;
  return durationInWords(Math.floor((now - since) / unit) * unit);
}

/**
 * The ways to write an instant that read differently as time passes, by name. A page writes the instant in one of them
 * and gives the name to the browser, which then writes it again and again.
 */
export const CHANGING_TIMES = { ago, until: dueInWords, for: lasting, since: elapsedInWords } as const;

/** How long a run took, in words. 0 becomes `less than 1 s`, because no run takes no time. */
export const tookInWords = (milliseconds: number): string =>
  milliseconds === 0 ? "less than 1 s" : span(milliseconds);
