// Finds the midnights at which the most recent days began in a time zone, and how far the next morning there is.

import { DAY, HOUR, type Instant, SECOND } from "../time.ts";
import { instantsOf, offsetPeriodAt } from "./zone.ts";

/** The midnights in the zone with which the last `count` days begin, in ascending order, and then the next midnight. */
export function lastMidnights(timezone: string, now: Instant, count: number): Instant[] {
  const today = Math.floor((now + offsetPeriodAt(timezone, now).offset) / DAY) * DAY;
  return Array.from({ length: count + 1 }, (_, place) => {
    const wall = today + (place - count + 1) * DAY;
    const near = wall - offsetPeriodAt(timezone, wall).offset;
    return wall - offsetPeriodAt(timezone, near).offset;
  });
}

/** Seconds until eight o'clock on the next day in this time zone. */
export function secondsUntilTomorrowMorning(now: Instant, timezone: string): number {
  const wall = now + offsetPeriodAt(timezone, now).offset;
  const morning = Math.floor(wall / DAY) * DAY + DAY + 8 * HOUR;
  return Math.ceil((instantsOf(morning, timezone).first - now) / SECOND);
}
