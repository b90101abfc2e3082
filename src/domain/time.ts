// Instants and durations: every time inside rollcall is an integer in these units. Reads no clock.

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant as the contract writes it: ISO 8601 in UTC with milliseconds, `2026-03-01T02:00:00.000Z`. */
export const toIso = (instant: Instant): string => new Date(instant).toISOString();

/** The instant as ISO 8601; null for null. */
export const toIsoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant));

/** Whole seconds between two instants, rounded down and never below 0 (R22: `duration`). */
export const wholeSeconds = (from: Instant, to: Instant): number => Math.max(0, Math.floor((to - from) / SECOND));
