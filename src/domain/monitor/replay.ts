// Tells which incidents a monitor's history would have opened under other settings. It runs the stored reports, and
// what people did, through the real decision once more. Pure.

import type { InPieces } from "../in-pieces.ts";
import type { Instant } from "../time.ts";
import type { Cause } from "./incident.ts";
import { type Gap, newMonitor, type Watch } from "./monitor.ts";
import { type Signal, transition } from "./transition.ts";

export type PastSignal = Readonly<{ at: Instant; signal: Signal }>;

/** An incident that would have opened under these settings. `closedAt` is `null` if it would still be open. */
export type ReplayedAlarm = Readonly<{ openedAt: Instant; closedAt: Instant | null; causes: readonly Cause[] }>;

/** How many decisions are made before waiting reports go first. They take a few milliseconds. */
const DECIDED_AT_ONCE = 1_000;

/**
 * Replays a monitor's history between `from` and `to`. `past` and `gaps` are ascending, and `past` lies after `from`.
 * The replay begins with a new monitor at `from`, so a run or an incident from before is not known.
 */
export function* replay(
  watch: Watch,
  past: readonly PastSignal[],
  gaps: readonly Gap[],
  { from, to }: Readonly<{ from: Instant; to: Instant }>,
): InPieces<ReplayedAlarm[]> {
  const alarms: ReplayedAlarm[] = [];
  let monitor = newMonitor(watch, from);
  for (const [place, { at, signal }] of [...past, { at: to, signal: { kind: "wake" } } as const].entries()) {
    if (place % DECIDED_AT_ONCE === DECIDED_AT_ONCE - 1) yield;
    // At the instant `at` only the gaps up to it are known. A gap that goes on longer is cut there.
    const known = gaps.flatMap((gap) => (gap.from >= at ? [] : gap.to <= at ? gap : { ...gap, to: at }));
    const decision = transition(monitor, signal, at, known);
    for (const { reason, incident } of decision.alerts) {
      const { openedAt, causes, closedAt } = incident;
      if (reason === "opened") alarms.push({ openedAt, closedAt: null, causes });
      else if (alarms.length > 0) alarms[alarms.length - 1] = { openedAt, closedAt, causes };
    }
    monitor = decision.monitor;
  }
  return alarms;
}
