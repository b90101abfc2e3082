// Runs work in later turns of the event loop: work that takes long, or for which no report waits, such as checks,
// pages, and responses in pieces. A process has one scheduler, so a report waits for one turn of such work at most.

import type { InPieces } from "./in-pieces.ts";

export type Scheduler = ReturnType<typeof createScheduler>;

interface SchedulerParts {
  /** Calls back at the end of this turn of the event loop, as `setImmediate` does. */
  readonly schedule: (run: () => void) => void;
  readonly clock: Readonly<{ monotonic: () => number }>;
}

/** How many milliseconds of a turn of the event loop the waiting work may use. The rest waits for the next turn. */
const SHARED = 5;

/**
 * Returns a function that asks for `run`. However often that function is called in a turn, `run` is called once, at the
 * end of the turn.
 */
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

  /** Runs the work that waits now. Work that is added meanwhile waits for a later turn. */
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
    /** Runs this in a later turn, after all work that already waits. Several short pieces of work share a turn. */
    later: (run: () => void): void => enter(run, false),
    /**
     * Like `later`, but no other work follows in the same turn. It is for work that goes on after a promise, because
     * the scheduler cannot measure that work.
     */
    laterAlone: (run: () => void): void => enter(run, true),
  };
}

export type Background = ReturnType<typeof createBackground>;

/** Runs work until `stop` is called. `failed` receives what the work throws, because no caller could catch it. */
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

  /** Runs all of this work: the first piece now, and each further piece in a later turn. An error ends the work. */
  function through(work: InPieces<void>): void {
    if (!work.next().done) later(() => through(work));
  }

  return {
    later,
    through,
    /** Runs all of this work, each piece in a later turn. */
    laterThrough: (work: InPieces<void>): void => later(() => through(work)),
    stop: (): void => {
      stopped = true;
    },
  };
}
