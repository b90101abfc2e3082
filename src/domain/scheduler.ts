// Runs work in later turns of the event loop: work that no report waits for, or that is long, such as checks, pages and
// responses in pieces. A process has a single scheduler, so a report never waits for more than the turn that is
// running.

import type { InPieces } from "./in-pieces.ts";

export type Scheduler = ReturnType<typeof createScheduler>;

interface SchedulerParts {
  /** Calls back at the end of this turn of the event loop, as `setImmediate` does. */
  readonly schedule: (run: () => void) => void;
  readonly clock: Readonly<{ monotonic: () => number }>;
}

/** When a turn has taken this many milliseconds, the remaining work waits for the next turn. */
const SHARED = 5;

/** Runs this in a later turn, once for all requests made until then. `schedule` calls back at the end of a turn. */
export function coalesced(schedule: SchedulerParts["schedule"], run: () => void): () => void {
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

export function createScheduler({ schedule, clock }: SchedulerParts) {
  const waiting: Readonly<{ run: () => void; isLast: boolean }>[] = [];
  const runSoon = coalesced(schedule, runWaiting);

  function enter(run: () => void, isLast: boolean): void {
    waiting.push({ run, isLast });
    runSoon();
  }

  /** Work that is added during the turn waits for a later turn. */
  function runWaiting(): void {
    const startedAt = clock.monotonic();
    try {
      for (let left = waiting.length; left > 0; left--) {
        const { run, isLast } = waiting.shift()!;
        run();
        if (isLast || clock.monotonic() - startedAt >= SHARED) break;
      }
    } finally {
      if (waiting.length > 0) runSoon();
    }
  }

  return {
    /** Runs this in a later turn, after all work that already waits. Short work shares a turn. */
    later: (run: () => void): void => enter(run, false),
    /**
     * Does the same and ends the turn after it, because its work goes on after a promise, where no turn can measure it.
     */
    laterAlone: (run: () => void): void => enter(run, true),
  };
}

export type Background = ReturnType<typeof createBackground>;

/** Runs work by this scheduler until `stop`. `failed` receives errors, which would otherwise reach no caller. */
export function createBackground(scheduler: Scheduler, failed: (error: unknown) => void) {
  let stopped = false;

  function later(run: () => void): void {
    scheduler.later(() => {
      if (stopped) return;
      try {
        run();
      } catch (error) {
        failed(error);
      }
    });
  }

  /** Does this work to its end: the first piece now, and each other piece in a later turn. An error ends it. */
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
