// Durations as people write them, read and written: `30s`, `15m`, `2h`, `90d`. Pure.

import { DAY, HOUR, MINUTE, SECOND } from "./time.ts";

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** The duration in milliseconds; null when the text is not a whole number and one of the units s, m, h, d. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  return match?.[1] === undefined || unit === undefined ? null : Number(match[1]) * unit;
}

/** In seconds, longest first. */
const WRITTEN = [
  { letter: "d", length: DAY / SECOND },
  { letter: "h", length: HOUR / SECOND },
  { letter: "m", length: MINUTE / SECOND },
];

/** As people write it, from seconds: `365d`, `25h`, `1m`, `90s`. */
export function durationText(seconds: number): string {
  const unit = seconds === 0 ? undefined : WRITTEN.find(({ length }) => seconds % length === 0);
  return unit === undefined ? `${seconds}s` : `${seconds / unit.length}${unit.letter}`;
}

/** `parseDuration` for a text that was already checked. */
export function milliseconds(text: string): number {
  const duration = parseDuration(text);
  if (duration === null) throw new Error("not a duration");
  return duration;
}
