// Several signals of one instant, one after the other, as one transition. Pure.

import type { Gap, Monitor } from "./monitor.ts";
import type { Instant } from "./time.ts";
import { type Signal, type Transition, transition } from "./transition.ts";

/** What they mean together; the run is the last one's. At least one signal. */
export function transitions(
  monitor: Monitor,
  [first, ...others]: readonly [Signal, ...Signal[]],
  now: Instant,
  gaps: readonly Gap[],
): Transition {
  let all = transition(monitor, first, now, gaps);
  for (const signal of others) {
    const next = transition(all.monitor, signal, now, gaps);
    const alerts = [...all.alerts, ...next.alerts];
    all = { ...next, alerts, unknowns: [...all.unknowns, ...next.unknowns] };
  }
  return all;
}
