// Tells which incidents a stored history would have opened under other settings. It gives the same reports and actions
// to the same decision. Pure.

import type { InPieces } from "../in-pieces.ts";
import type { Instant } from "../time.ts";
import type { Cause } from "./incident.ts";
import { type Gap, newMonitor, type Watch } from "./monitor.ts";
import { type Signal, transition } from "./transition.ts";

/** A stored report, or an action of a person. */
export type PastSignal = Readonly<{ at: Instant; signal: Signal }>;

/** An incident that would have opened. `closedAt` is `null` when it would still be open. */
export type ReplayedAlarm = Readonly<{ openedAt: Instant; closedAt: Instant | null; causes: readonly Cause[] }>;

/** How many decisions are made before the work pauses. They take a few milliseconds. */
const DECIDED_AT_ONCE = 1_000;

/**
 * Replays a history. `past` is ascending and lies after `from`; `gaps` is ascending. The monitor begins as a new one at
 * `from`, so what began before `from` is unknown.
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
    // A gap that goes on after this instant counts up to it.
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
