// Knows the newest stored instant, and how far it lies ahead of the clock (R26). Until the clock reaches it, nothing is
// due.

import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { GapTracker } from "./gap-tracker.ts";

export type NewestInstant = ReturnType<typeof createNewestInstant>;

export function createNewestInstant(store: Store, gaps: GapTracker) {
  let newestAt = Number.NEGATIVE_INFINITY;
  return {
    /** Reads the stored instants, so that they count. Must be called once, before `ahead`. */
    start: (): void => {
      newestAt = Math.max(newestAt, store.monitors.newestChange() ?? Number.NEGATIVE_INFINITY);
    },
    stored: (at: Instant): void => {
      if (at > newestAt) newestAt = at;
    },
    /**
     * By how many milliseconds the newest instant lies after `now`; negative when it lies before. The end of a gap
     * counts too, because nothing that it touches is due before it.
     */
    ahead: (now: Instant) => Math.max(newestAt, gaps.undecided().at(-1)?.to ?? Number.NEGATIVE_INFINITY) - now,
    /** Notes that no monitor has an instant after `now` any more. */
    pulledBack: (now: Instant): void => {
      newestAt = now;
    },
  };
}
