// What a stored history would have alarmed under other settings: the same reports and acts, decided by the same core.
// Pure.

import type { InPieces } from "../in-pieces.ts";
import type { Instant } from "../time.ts";
import type { Cause } from "./incident.ts";
import { type Gap, newMonitor, type Watch } from "./monitor.ts";
import { type Signal, transition } from "./transition.ts";

/** A report as it came, or what a person did. */
export type PastSignal = Readonly<{ at: Instant; signal: Signal }>;

/** An incident that would have opened. `closedAt` null: it would be open still. */
export type ReplayedAlarm = Readonly<{ openedAt: Instant; closedAt: Instant | null; causes: readonly Cause[] }>;

/** Some milliseconds of work. */
const DECIDED_AT_ONCE = 1_000;

/**
 * `past`: ascending, all after `from`; `gaps`: ascending. The monitor begins new at `from`, so what had begun before it
 * is not known.
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
    // One that went on after a report had come until then.
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
