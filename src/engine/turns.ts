// Later turns of the event loop: for work that no request waits for, so that no ping waits long for it.

import type { InPieces } from "../domain/in-pieces.ts";
import type { Clock } from "./api.ts";

export type Turns = ReturnType<typeof createTurns>;

interface TurnsParts {
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** Work in later turns needs storage, so we take an error there as a storage error. */
  readonly failed: (error: unknown) => void;
}

/** When a turn has taken so long, what else is to run waits for the next. Milliseconds. */
const SHARED = 5;

export function createTurns({ schedule, clock, failed }: TurnsParts) {
  const waiting: (() => void)[] = [];
  let scheduled = false;
  let stopped = false;

  /** Runs this in a later turn, after all that waits for one. A failure there has no caller to reach. */
  function later(run: () => void): void {
    waiting.push(run);
    scheduleTurn();
  }

  function scheduleTurn(): void {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    schedule(takeTurn);
  }

  /** What is asked for meanwhile waits for a later turn. */
  function takeTurn(): void {
    scheduled = false;
    const startedAt = clock.monotonic();
    for (let left = waiting.length; left > 0; left--) {
      runOne(waiting.shift()!);
      if (clock.monotonic() - startedAt >= SHARED) break;
    }
    scheduleTurn();
  }

  function runOne(run: () => void): void {
    if (stopped) return;
    try {
      run();
    } catch (error) {
      failed(error);
    }
  }

  /** Does this work to its end: the first piece now, and each other in a later turn. An error ends it. */
  function through(work: InPieces<void>): void {
    if (!work.next().done) later(() => through(work));
  }

  return {
    later,
    through,
    /** Does this work to its end, each piece in a later turn. */
    laterThrough: (work: InPieces<void>): void => later(() => through(work)),
    stop: (): void => {
      stopped = true;
    },
  };
}
