// Lets async code take turns: a promise that resolves when the scheduler comes to the caller, and work in pieces with
// such a turn before each, so that no report waits for it.

import type { Scheduler } from "../domain/scheduler.ts";

/**
 * Resolves in a later turn of the event loop, in the order of asking; the caller's next synchronous step is the last of
 * that turn.
 */
export type Yield = () => Promise<void>;

export const createYield =
  (scheduler: Scheduler): Yield =>
  () =>
    new Promise((resolve) => scheduler.laterAlone(resolve));

/** Resolves to the work's result when it is done; rejects with what it throws. */
export async function doInPieces<Result>(scheduler: Scheduler, work: Iterator<unknown, Result, void>): Promise<Result> {
  const yieldNow = createYield(scheduler);
  for (;;) {
    await yieldNow();
    const step = work.next();
    if (step.done) return step.value;
  }
}
