// Sync status as the engine tells it, read to its end at once.

import type { Caller } from "../../src/engine/api.ts";
import type { Engine } from "../../src/engine/parts.ts";
import type { InStretches } from "../../src/engine/reads/in-stretches.ts";
import type { SyncStatus } from "../../src/engine/reads/sync-status.ts";

/** What comes of it when nobody else has a turn. */
export function wholly(counting: InStretches<SyncStatus>): SyncStatus {
  for (;;) {
    const { done, value } = counting.next();
    if (done) return value;
  }
}

/** All monitors of the status, page after page. */
export const monitorsInStatus = (engine: Pick<Engine, "syncStatus">, caller: Caller) =>
  [...wholly(engine.syncStatus(caller)).pages].flat();
