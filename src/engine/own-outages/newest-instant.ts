// The newest stored instant, and how far ahead of the clock it lies (R26): until the clock gets there nothing is due.

import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { GapTracker } from "./gap-tracker.ts";

export type NewestInstant = ReturnType<typeof createNewestInstant>;

export function createNewestInstant(store: Store, gaps: GapTracker) {
  let newestAt = Number.NEGATIVE_INFINITY;
  return {
    /** To be called once, before `ahead`: what is stored already counts too. */
    start: (): void => {
      newestAt = Math.max(newestAt, store.monitors.newestChange() ?? Number.NEGATIVE_INFINITY);
    },
    stored: (at: Instant): void => {
      if (at > newestAt) newestAt = at;
    },
    // The end of a gap counts: until then nothing is due that it touches.
    /** By how many milliseconds it lies after `now`; below 0: before. */
    ahead: (now: Instant) => Math.max(newestAt, gaps.undecided().at(-1)?.to ?? Number.NEGATIVE_INFINITY) - now,
    /** No monitor has an instant after `now` any more. */
    pulledBack: (now: Instant): void => {
      newestAt = now;
    },
  };
}
