// What nearly every part of the engine works with, made before any of them. A part names only what it needs besides.

import type { Log } from "../domain/log.ts";
import type { Clock } from "./api.ts";
import type { Committer } from "./committer.ts";
import type { EngineContext } from "./context.ts";
import type { GapTracker } from "./hearing/gap-tracker.ts";
import type { Turns } from "./turns.ts";

export interface EngineTools {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly turns: Turns;
  readonly log: Log;
}
