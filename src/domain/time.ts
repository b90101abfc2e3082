// Instants and durations. Inside rollcall every time is a whole number in these units. Reads no clock.

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant as the contract writes it: ISO 8601 in UTC with milliseconds, `2026-03-01T02:00:00.000Z`. */
export const toIso = (instant: Instant): string => new Date(instant).toISOString();

export const toIsoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant));

/** Whole seconds between two instants, rounded down and never below 0 (`duration` in R22). */
export const wholeSeconds = (from: Instant, to: Instant): number => Math.max(0, Math.floor((to - from) / SECOND));

// Reads and writes durations as people write them: `30s`, `15m`, `2h`, `90d`. Pure.

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

/** The duration in milliseconds; `null` when the text is not a whole number with one of the units s, m, h, d. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  return match?.[1] === undefined || unit === undefined ? null : Number(match[1]) * unit;
}

/** The units of `durationText`: each length in seconds, the longest first. */
const WRITTEN = [
  { letter: "d", length: DAY / SECOND },
  { letter: "h", length: HOUR / SECOND },
  { letter: "m", length: MINUTE / SECOND },
];

/** Writes seconds as people do: `365d`, `25h`, `1m`, `90s`. */
export function durationText(seconds: number): string {
  const unit = seconds === 0 ? undefined : WRITTEN.find(({ length }) => seconds % length === 0);
  return unit === undefined ? `${seconds}s` : `${seconds / unit.length}${unit.letter}`;
}

/** Like `parseDuration`, for a text that was already checked; throws when it is no duration. */
export function checkedDuration(text: string): number {
  const duration = parseDuration(text);
  if (duration === null) throw new Error("not a duration");
  return duration;
}

export const withinHour = (earlier: Instant | null, at: Instant): boolean =>
  earlier !== null && earlier <= at && at - earlier < HOUR;

export const isNewHour = (last: Instant, now: Instant): boolean => Math.floor(last / HOUR) !== Math.floor(now / HOUR);
