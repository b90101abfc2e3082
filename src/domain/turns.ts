// Later turns of the event loop, which all work takes that no report waits for, or that is long: checks, pages, answers
// in pieces. One taker for a process, so that however much is under way, a report waits only for the turn that runs.

import type { InPieces } from "./in-pieces.ts";

export type TurnTaker = ReturnType<typeof createTurnTaker>;

interface TakerParts {
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  readonly clock: Readonly<{ monotonic: () => number }>;
}

/** When a turn has taken so long, what else is to run waits for the next. Milliseconds. */
const SHARED = 5;

/** Runs this in a later turn, once for all who ask until then. `schedule` calls back at the end of a turn. */
export function onceATurn(schedule: TakerParts["schedule"], run: () => void): () => void {
  let isAsked = false;
  const turn = (): void => {
    isAsked = false;
    run();
  };
  return () => {
    if (isAsked) return;
    isAsked = true;
    schedule(turn);
  };
}

export function createTurnTaker({ schedule, clock }: TakerParts) {
  const waiting: Readonly<{ run: () => void; isLast: boolean }>[] = [];
  const askForTurn = onceATurn(schedule, takeTurn);

  function enter(run: () => void, isLast: boolean): void {
    waiting.push({ run, isLast });
    askForTurn();
  }

  /** What is asked for meanwhile waits for a later turn. */
  function takeTurn(): void {
    const startedAt = clock.monotonic();
    try {
      for (let left = waiting.length; left > 0; left--) {
        const { run, isLast } = waiting.shift()!;
        run();
        if (isLast || clock.monotonic() - startedAt >= SHARED) break;
      }
    } finally {
      if (waiting.length > 0) askForTurn();
    }
  }

  return {
    /** Runs this in a later turn, after all that waits for one; short work shares a turn. */
    later: (run: () => void): void => enter(run, false),
    /** The same, and ends the turn with it: what it begins goes on behind a promise, where no turn can measure it. */
    laterAlone: (run: () => void): void => enter(run, true),
  };
}

export type Turns = ReturnType<typeof createTurns>;

/** Work in turns of this taker that ends at a stop. `failed`: an error there has no caller to reach. */
export function createTurns(taker: TurnTaker, failed: (error: unknown) => void) {
  let stopped = false;

  function later(run: () => void): void {
    taker.later(() => {
      if (stopped) return;
      try {
        run();
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Does this work to its end: the first piece now, and each other in a later turn. An error ends it. */
  function through(work: InPieces<void>): void {
    if (!work.next().done) later(() => through(work));
  }

  return {
    /** Runs this in a later turn. */
    later,
    through,
    /** Does this work to its end, each piece in a later turn. */
    laterThrough: (work: InPieces<void>): void => later(() => through(work)),
    stop: (): void => {
      stopped = true;
    },
  };
}
