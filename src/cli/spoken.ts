// Instants and durations as people read them in a terminal: an instant in its screen's one zone and with its age, a
// duration as exactly as we know it. Reads no clock.

import { stretchAt } from "../domain/schedule/zone.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../domain/time.ts";

/** When we write a screen, and the zone of every instant on it, which the screen names once. */
export interface ScreenClock {
  readonly now: Instant;
  readonly timezone: string;
}

/** `2026-03-01 03:00:05 (3 min ago)`; a dash for none. */
export const time = (iso: string | null, clock: ScreenClock): string =>
  iso === null ? "-" : withAge(wallTime(Date.parse(iso), clock.timezone), iso, clock);

/** The same without seconds, for lists. */
export const minute = (iso: string | null, clock: ScreenClock): string =>
  iso === null ? "-" : withAge(wallTime(Date.parse(iso), clock.timezone).slice(0, -3), iso, clock);

/** `2026-03-01 03:00:05 Europe/Berlin (3 min ago)`, for screens without a head that names the zone. */
export const moment = (iso: string, clock: ScreenClock): string =>
  withAge(`${wallTime(Date.parse(iso), clock.timezone)} ${clock.timezone}`, iso, clock);

const withAge = (text: string, iso: string, clock: ScreenClock): string =>
  `${unbroken(text)} ${unbroken(`(${age(iso, clock)})`)}`;

function wallTime(at: Instant, timezone: string): string {
  return toIso(at + stretchAt(timezone, at).offset)
    .slice(0, 19)
    .replace("T", " ");
}

/** `3 min ago`, `in 2 h`, `now`. */
export function age(iso: string, { now }: ScreenClock): string {
  const distance = Math.round((Date.parse(iso) - now) / SECOND) * SECOND;
  if (distance === 0) return "now";
  return distance > 0 ? `in ${rounded(distance)}` : `${rounded(-distance)} ago`;
}

/** One unit is enough: the larger one starts at two of them. */
const AGES = [
  { from: 2 * DAY, length: DAY, unit: "d" },
  { from: 2 * HOUR, length: HOUR, unit: "h" },
  { from: 2 * MINUTE, length: MINUTE, unit: "min" },
  { from: 0, length: SECOND, unit: "s" },
] as const;

function rounded(milliseconds: number): string {
  const { length, unit } = AGES.find(({ from }) => milliseconds >= from)!;
  return `${Math.round(milliseconds / length)} ${unit}`;
}

const PARTS = [
  { length: DAY, unit: "d" },
  { length: HOUR, unit: "h" },
  { length: MINUTE, unit: "min" },
  { length: SECOND, unit: "s" },
] as const;

/** Shorter durations show milliseconds: most jobs that run every minute end sooner. */
const TOLD_EXACTLY = 10 * SECOND;

/** `34 ms`, `1.234 s`, `1 min 15 s`, `24 h 1 min`, `2 d 3 h`: never more than it was, and at most two units. */
export function span(milliseconds: number): string {
  if (milliseconds < SECOND) return milliseconds === 0 ? "0 s" : `${milliseconds} ms`;
  if (milliseconds < TOLD_EXACTLY && milliseconds % SECOND !== 0) return `${(milliseconds / SECOND).toFixed(3)} s`;
  const largest = PARTS.findIndex(({ length }, place) => milliseconds >= (place === 0 ? 2 : 1) * length);
  let left = milliseconds;
  const words = PARTS.slice(largest, largest + 2).map(({ length, unit }) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? "" : `${count} ${unit}`;
  });
  return words.filter((word) => word !== "").join(" ");
}

/** The same for whole seconds. */
export const seconds = (count: number): string => span(count * SECOND);

/** Text that must not break at a line's end: no-break spaces replace its spaces until we show it. */
export const unbroken = (text: string): string => text.replaceAll(" ", NO_BREAK);

const NO_BREAK = "\u00a0";
const MAY_BREAK = "\u200b";

/** A zone's name; a line may break at its slash. */
export const zoneName = (timezone: string): string => timezone.replaceAll("/", `/${MAY_BREAK}`);

/** The head of a column of instants: `CREATED (Europe/Berlin)`. */
export const headIn = ({ timezone }: ScreenClock, name: string): string => `${name} (${zoneName(timezone)})`;

/** The text in pieces that must not break; a line drops what its last piece ends with. */
export const piecesOf = (text: string): string[] => text.split(/(?<=[ \u200b])/);

/** The text as finally shown. */
export const shown = (text: string): string => text.replaceAll(NO_BREAK, " ").replaceAll(MAY_BREAK, "");

/** The text, or its beginning if it is longer than a column should be. */
export function shortText(text: string, characters: number): string {
  const all = [...text];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}…`;
}
