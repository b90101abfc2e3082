// Knows the newest instant that is stored for any monitor, and how far it lies ahead of the clock. After a clock that
// was wrong is set back, that instant lies ahead of the clock. Until the clock reaches it, nothing is due (R26).

import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { GapTracker } from "./gap-tracker.ts";

export type NewestInstant = ReturnType<typeof createNewestInstant>;

export function createNewestInstant(store: Store, gaps: GapTracker) {
  let newestAt = Number.NEGATIVE_INFINITY;
  return {
    /** Reads the newest stored instant from the database. Must be called once, before `ahead`. */
    start: (): void => {
      newestAt = Math.max(newestAt, store.monitors.newestChange() ?? Number.NEGATIVE_INFINITY);
    },
    stored: (at: Instant): void => {
      if (at > newestAt) newestAt = at;
    },
    /**
     * Returns by how many milliseconds the newest stored instant lies after `now`; negative when it lies before. The
     * end of a gap counts as well, because monitors that the gap touches are not judged before it.
     */
    ahead: (now: Instant) => Math.max(newestAt, gaps.undecided().at(-1)?.to ?? Number.NEGATIVE_INFINITY) - now,
    /** Notes that no instant lies after `now` any more, because all were pulled back. */
    pulledBack: (now: Instant): void => {
      newestAt = now;
    },
  };
}
