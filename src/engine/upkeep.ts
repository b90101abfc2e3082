// What is done once an hour: what is old goes, a bounded piece a turn of the event loop, so that no ping waits long for it.

import { DAY, HOUR, type Instant } from "../domain/time.ts";
import type { Pruned } from "../store/retention.ts";
import type { Store } from "../store/store.ts";

const ROWS_A_TURN = 500;
/** Closed incidents with their alerts and deliveries. */
const KEEP_INCIDENTS = 365 * DAY;

type Prune = (before: Instant, after: number, limit: number) => Pruned;

/** Deletes pings and runs older than `keepPings` milliseconds that need not stay, and old incidents; over later turns. */
export function prune(store: Store, now: Instant, keepPings: number, schedule: (run: () => void) => void): void {
  pruneTable(store.pings.prune, now - keepPings);
  pruneTable(store.runs.prune, now - keepPings);
  pruneTable(store.incidents.prune, now - KEEP_INCIDENTS);

  function pruneTable(piece: Prune, before: Instant, after = 0): void {
    const { after: next } = store.database.transaction(() => piece(before, after, ROWS_A_TURN)).immediate();
    if (next !== null) schedule(() => pruneTable(piece, before, next));
  }
}

/** Whether an hour has begun since `last` that `now` is in. */
export const isNewHour = (last: Instant, now: Instant): boolean => Math.floor(last / HOUR) !== Math.floor(now / HOUR);
