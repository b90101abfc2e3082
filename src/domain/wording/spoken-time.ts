// Writes durations and counts in words. `rollcall run` loads this file while a job waits, so it loads no time zones.

import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";

const UNITS = [
  { length: DAY, name: "day" },
  { length: HOUR, name: "hour" },
  { length: MINUTE, name: "minute" },
  { length: SECOND, name: "second" },
] as const;

/** An elapsed time in its largest unit and the next smaller one, rounded: `3 hours 12 minutes`. */
export function durationInWords(milliseconds: number): string {
  const largest = UNITS.findIndex((unit) => milliseconds >= unit.length);
  if (largest === -1) return "less than a second";
  const { length: step } = UNITS[largest + 1] ?? UNITS[largest]!;
  return exactDuration(Math.round(milliseconds / step) * step);
}

/**
 * A length of time with all its units, such as `1 day 30 minutes`, because a limit must be exact. `milliseconds` is at
 * least a second.
 */
export function exactDuration(milliseconds: number): string {
  let left = milliseconds;
  const words: string[] = [];
  for (const { length, name } of UNITS) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) words.push(counted(count, name));
  }
  return words.join(" ");
}

/** How often something happens: `every hour`, `every 90 days`. */
export const everyInWords = (milliseconds: number): string =>
  `every ${exactDuration(milliseconds).replace(/^1 (?=\w+$)/, "")}`;

/** A monitor's interval in a single unit (R44): `every 25 hours`, `every day`. */
export function intervalInWords(seconds: number): string {
  const { length, name } = UNITS.find(({ length }) => (seconds * SECOND) % length === 0)!;
  const count = (seconds * SECOND) / length;
  return count === 1 ? `every ${name}` : `every ${counted(count, name)}`;
}

/**
 * The noun for a slot of a schedule or an interval. Alerts stored by earlier versions lack `everySeconds`, and are
 * about schedules.
 */
export const slotNoun = ({ everySeconds }: { readonly everySeconds?: number | null }): string =>
  everySeconds == null ? "scheduled run" : "due report";

/** A count with its thousands separated, such as `12,345`. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
