// Yields for async code: a promise that resolves when the scheduler comes to the caller.

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
