// Units of time for the simulation, said once more: the verdict takes nothing from the product but types.

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const YEAR = 365.25 * DAY;

export const iso = (instant: Instant): string => new Date(instant).toISOString();
