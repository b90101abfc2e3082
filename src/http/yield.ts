// Splits long work into pieces, one for each turn of the event loop, so that no report waits for all of it.

import type { Scheduler } from "../domain/scheduler.ts";

/**
 * Returns a promise that resolves in a later turn of the event loop; the promise that was asked for first resolves
 * first. What the caller does until its next `await` is the last work of that turn.
 */
export type Yield = () => Promise<void>;

export const createYield =
  (scheduler: Scheduler): Yield =>
  () =>
    new Promise((resolve) => scheduler.laterAlone(resolve));

/** Does one step of the work in each turn, and returns the work's result. */
export async function doInPieces<Result>(scheduler: Scheduler, work: Iterator<unknown, Result, void>): Promise<Result> {
  const yieldNow = createYield(scheduler);
  for (;;) {
    await yieldNow();
    const step = work.next();
    if (step.done) return step.value;
  }
}
