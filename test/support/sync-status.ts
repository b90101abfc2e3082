// Reads a sync status of the engine to its end at once.

import type { InPieces } from "../../src/domain/in-pieces.ts";
import type { Caller } from "../../src/engine/api.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { SyncStatus } from "../../src/views/monitor-summaries.ts";

/** The result when no other work has a turn in between. */
export function wholly(counting: InPieces<SyncStatus>): SyncStatus {
  for (;;) {
    const { done, value } = counting.next();
    if (done) return value;
  }
}

/** All monitors of the status, page after page. */
export const monitorsInStatus = (engine: Pick<Engine, "views">, caller: Caller) =>
  [...wholly(engine.views.syncStatus(caller.application)).pages].flat();
