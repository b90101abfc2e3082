// What the engine is made of and what it answers to besides the requests of the edges, as types: for its wiring alone.

import type { Log } from "../domain/log.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Clock, Engine, TellUnstored } from "./api.ts";
import type { Pulse } from "./clock/pulse.ts";
import type { Failing } from "./telling/reach.ts";

export interface EngineParts {
  readonly store: Store;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  /** Called after a commit that left something to deliver; `urgent`: a destination at which a person waits for it. */
  readonly nudge: (urgent?: string) => void;
  /** Destinations that take nothing at present; asked on each ping. */
  readonly failing: () => Failing;
  readonly tellUnstored: TellUnstored;
  /** How people know this rollcall: its public address, or the computer's name. */
  readonly home: string;
  /** As whom it runs, and its commands are typed; null: not known. */
  readonly user: string | null;
  /** Milliseconds. */
  readonly keepPings: number;
}

export interface RunningEngine extends Engine {
  /**
   * Brings what the configuration names into the store and fills the wheel, once. Answers the slugs of applications that
   * wait for their first key.
   */
  start(): string[];
  /** Called once a second. */
  tick(): void;
  /** Commits what waits. `deafSince`: when reports were last taken. */
  stop(deafSince: Instant): void;
}
