// The pulse: whether this process has been awake since the last call, at every look and at least once a second. The two
// clocks tell a process that stood still, or a clock that was moved on, from one that ran (R26).

import { type ClockLook, type FoundGap, gapBetween } from "../../domain/monitor/gap.ts";
import type { Clock } from "../api.ts";

/** The gap since the last time it was asked; null when there was none. */
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
