// The engine as types: its parts, and what callers may ask. http and the CLI depend on nothing else.

import type { Refusal } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Policy } from "../domain/settings/policy.ts";
import type { Registry } from "../domain/settings/reconcile.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Clock, Ping, PingAnswer, Rejected, SyncReport, TellUnstored } from "./api.ts";
import type { Pulse } from "./clock/pulse.ts";
import type { Operate, OperateByPages, Search } from "./operations/operations.ts";
import type { Changes } from "./reads/changes.ts";
import type { InStretches } from "./reads/in-stretches.ts";
import type { Bearings } from "./reads/look-monitors.ts";
import type { SyncStatus } from "./reads/sync-status.ts";
import type { Audience, Failing } from "./telling/reach.ts";

export interface EngineParts {
  readonly store: Store;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  /** Called after a commit that left something to deliver; `urgent`: a destination where a person waits for it. */
  readonly nudge: (urgent?: string) => void;
  /** Destinations that take nothing now; called on each ping. */
  readonly failing: () => Failing;
  readonly tellUnstored: TellUnstored;
  /** How people know this rollcall: its public address, or the computer's name. */
  readonly home: string;
  /** The user it runs as and takes commands from; null: not known. */
  readonly user: string | null;
  /** Milliseconds. */
  readonly keepPings: number;
  /** The secret part of a new key: 32 base62 characters (R2). */
  readonly randomSecret: () => string;
}

export interface Engine {
  /** Whose key this is, or the one 401 for everything that is not a live key (R2, R3). */
  authenticate(key: string): Caller | Refusal;
  /** Records one ping durably; settles after the commit. Never rejects. */
  ingest(ping: Ping): Promise<PingAnswer>;
  /** Notes a report that the rate limit refused: it shows life and nothing else (R26). `setting` names the limit. */
  rateLimited(ping: Ping, setting: string): void;
  /** Notes a report that was refused because something is wrong with it (R33): it changes no monitor. */
  rejected(rejected: Rejected): void;
  /** Reconciles a registry in one transaction. Throws what SQLite throws, and then has changed nothing. */
  sync(caller: Caller, registry: Registry): SyncReport;
  /** The application's monitors. Each stretch is made when it is asked for, and throws what SQLite throws. */
  syncStatus(caller: Caller): InStretches<SyncStatus>;
  /** Runs an operation of the table. Throws what SQLite throws, and then has changed nothing. */
  readonly operate: Operate;
  /** The same of one that lists, as far as it is asked for. A page throws what SQLite throws. */
  readonly operateByPages: OperateByPages;
  /** The same of one that searches, in stretches. A stretch throws what SQLite throws. */
  readonly search: Search;
  /** What every screen's words depend on. */
  bearings(): Bearings;
  /** Which monitors change, for views that show them live. */
  readonly changes: Changes;
  /**
   * Why we cannot record a ping or deliver an alert right now; empty when all is well (`/readyz`). For `anyone`, it
   * names no application or destination and repeats no receiver's answer.
   */
  troubles(audience?: Audience): readonly string[];
}

export interface RunningEngine extends Engine {
  /**
   * Brings configured names into the store and fills the wheel, once. Returns the slugs of applications that wait for
   * their first key.
   */
  start(): string[];
  /** Called once a second. */
  tick(): void;
  /** Commits what waits. `deafSince`: when reports were last taken. */
  stop(deafSince: Instant): void;
}
