// What a clock on the wall shows, minute by minute, over a span that clock changes may disturb: all that a scheduler
// has to go by. It must import nothing of the product but types.

import type { Instant } from "../../../src/domain/time.ts";
import { offsetAt, type ZoneHistory } from "./zone-history.ts";

/** Minutes since 1970-01-01T00:00 as the wall clock shows them, without a zone. */
export type WallMinute = number;

/** One entry for each minute that really passes, in order. It jumps where clocks are set forward, and goes back. */
export type Walls = Int32Array;

const MINUTE = 60_000;

/** What the zone's clocks show at each minute of [from, until), both at the beginning of a minute. */
export function wallsOf(history: ZoneHistory, from: Instant, until: Instant): Walls {
  const walls = new Int32Array((until - from) / MINUTE);
  let offset = offsetAt(history, from);
  let next = history.changes.findIndex((change) => change.at > from);
  for (let index = 0; index < walls.length; index += 1) {
    const at = from + index * MINUTE;
    const change = history.changes[next];
    if (change !== undefined && change.at === at) {
      offset = change.after;
      next += 1;
    }
    walls[index] = at / MINUTE + offset;
  }
  return walls;
}
