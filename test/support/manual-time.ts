// Time that moves only when a test says so, for code that is handed its clock and its timers.

import type { Instant } from "../../src/domain/time.ts";
import type { Clock } from "../../src/engine/api.ts";
import { createLivedClock } from "../../src/engine/own-outages/lived-clock.ts";

export interface ManualTime {
  readonly clock: Clock;
  /** As cli/clock.ts has it. A wait of 0 is over in the next turn of the real event loop. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Moves the clock on, firing what falls due on the way, each at its own time. */
  advance(milliseconds: number): Promise<void>;
  /** Moves the clock on while nothing can run; what fell due meanwhile fires with the next advance. */
  stall(milliseconds: number): void;
  /** The waits that are not over, in milliseconds from now. */
  waits(): number[];
}

export function manualTime(start: Instant): ManualTime {
  let now = start;
  const asks = new Set<NodeJS.Immediate>();
  const waiting = new Set<{ readonly at: Instant; readonly run: () => void }>();

  function after(milliseconds: number, run: () => void): () => void {
    if (milliseconds === 0) {
      const asked = setImmediate(() => {
        asks.delete(asked);
        run();
      });
      asks.add(asked);
      return () => {
        asks.delete(asked);
        clearImmediate(asked);
      };
    }
    const entry = { at: now + milliseconds, run };
    waiting.add(entry);
    return () => waiting.delete(entry);
  }

  /** Lets everything happen that needs no more than the event loop's turns. */
  async function settle(): Promise<void> {
    do await turn();
    while (asks.size > 0);
  }

  async function advance(milliseconds: number): Promise<void> {
    const end = now + milliseconds;
    await settle();
    while (true) {
      const next = [...waiting].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      waiting.delete(next);
      now = Math.max(now, next.at);
      next.run();
      await settle();
    }
    now = end;
    await settle();
  }

  return {
    clock: { now: () => now, monotonic: () => now - start },
    after,
    advance,
    stall: (milliseconds) => {
      now += milliseconds;
    },
    waits: () => [...waiting].map(({ at }) => at - now).sort((a, b) => a - b),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Settles when the condition holds: for what real sockets do in their own time. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** Since when this clock has made no step, for a notifier without an engine. */
export const steadyBy = (clock: Clock): (() => Instant) =>
  createLivedClock({ liveness: { lived: () => null } }, clock).steadySince;
