// What is done once an hour: old pings and runs go. A bounded piece a turn of the event loop, so that no ping waits
// long for it.

import { HOUR, type Instant } from "../domain/time.ts";
import type { Pruned } from "../store/retention.ts";
import type { Store } from "../store/store.ts";

const ROWS_A_TURN = 500;

/** Deletes what is older than `keepPings` milliseconds before `now` and need not stay; goes on in later turns. */
export function prune(store: Store, now: Instant, keepPings: number, schedule: (run: () => void) => void): void {
  const before = now - keepPings;
  pruneTable(store.pings.prune);
  pruneTable(store.runs.prune);

  function pruneTable(piece: (before: Instant, after: number, limit: number) => Pruned, after = 0): void {
    const pruned = piece(before, after, ROWS_A_TURN);
    const next = pruned.after;
    if (next !== null) schedule(() => pruneTable(piece, next));
  }
}

/** Whether an hour has begun since `last` that `now` is in. */
export const isNewHour = (last: Instant, now: Instant): boolean => Math.floor(last / HOUR) !== Math.floor(now / HOUR);
