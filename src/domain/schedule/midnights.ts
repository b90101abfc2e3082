// Finds the midnights at which the last days of a zone begin.

import { DAY, type Instant } from "../time.ts";
import { offsetPeriodAt } from "./zone.ts";

/** The midnights in the zone with which the last `count` days begin, in ascending order, and then the next midnight. */
export function lastMidnights(timezone: string, now: Instant, count: number): Instant[] {
  const today = Math.floor((now + offsetPeriodAt(timezone, now).offset) / DAY) * DAY;
  return Array.from({ length: count + 1 }, (_, place) => {
    const wall = today + (place - count + 1) * DAY;
    const near = wall - offsetPeriodAt(timezone, wall).offset;
    return wall - offsetPeriodAt(timezone, near).offset;
  });
}
