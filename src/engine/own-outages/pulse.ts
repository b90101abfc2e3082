// The pulse: tells whether this process was awake since the last call, by comparing the clock and the monotonic clock.
// It must be called at least once a second. A process that stood still, or whose clock was moved forward, shows a gap
// (R26).

import { type ClockLook, type FoundGap, gapBetween } from "../../domain/monitor/gap.ts";
import type { Clock } from "../api.ts";

/** Returns the gap since the last call; `null` when there was none. */
export type Pulse = () => FoundGap | null;

export function createPulse(clock: Clock): Pulse {
  const lookNow = (): ClockLook => ({ at: clock.now(), monotonic: clock.monotonic() });
  let last = lookNow();
  return () => {
    const before = last;
    last = lookNow();
    return gapBetween(before, last);
  };
}
