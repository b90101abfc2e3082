// The pulse tells whether this process has been awake since the last call, which comes at least once a second. By its
// two clocks, a process that stood still or whose clock was moved forward differs from one that simply ran (R26).

import { type ClockLook, type FoundGap, gapBetween } from "../../domain/monitor/gap.ts";
import type { Clock } from "../api.ts";

/** The gap since the last call; `null` when there was none. */
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
