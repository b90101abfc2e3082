// Time that moves only when a test says so, for code that gets its clock and its timers as parameters.

import type { Instant } from "../../src/domain/time.ts";
import type { Clock } from "../../src/engine/api.ts";
import { createLivedClock } from "../../src/engine/own-outages/lived-clock.ts";

export interface ManualTime {
  readonly clock: Clock;
  /** Like `after` in cli/clock.ts. A wait of 0 ends in the next turn of the real event loop. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Moves the clock on and fires the timers that fall due on the way, each at its own time. */
  advance(milliseconds: number): Promise<void>;
  /** Moves the clock on while nothing can run; timers that fell due meanwhile fire with the next `advance`. */
  stall(milliseconds: number): void;
  /** The remaining waits, in milliseconds from now. */
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

  /** Waits for everything that needs only turns of the event loop. */
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

/** Resolves when the condition is true, for real sockets, which take real time. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** The instant since which this clock has made no step, for a notifier without an engine. */
export const steadyBy = (clock: Clock): (() => Instant) =>
  createLivedClock({ liveness: { lived: () => null } }, clock).steadySince;
