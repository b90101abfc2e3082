// Monitors that are due every minute: their schedule, and the instant at which they close if they are declared now.
// This file waits, but measures nothing.

/** The settings that such a monitor declares with its first report. */
export const EVERY_MINUTE = "?schedule=*%20*%20*%20*%20*&gracePeriod=60";

const MINUTE = 60_000;
/** The slot of a minute closes after the next minute has begun, 60 s of grace, and 5 s for the way of a report. */
const CLOSES_AFTER = 125_000;

/** Waits for an instant in milliseconds since 1970; it returns at once when the instant has passed. */
export const sleepUntil = (at: number): Promise<void> => Bun.sleep(Math.max(0, at - Date.now()));

/**
 * The instant at which monitors close that are declared from now on. `within` says how many milliseconds of the minute
 * may have passed already; after that this waits for the next minute, because a report at the very end of one would
 * fill the next slot too.
 */
export async function nextClose(within: number): Promise<number> {
  if (Date.now() % MINUTE > within) await sleepUntil(Date.now() - (Date.now() % MINUTE) + MINUTE);
  return Date.now() - (Date.now() % MINUTE) + CLOSES_AFTER;
}
