// The engine as types: its parts, and what callers may ask. http and the CLI depend on nothing else.

import type { Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import type { Log } from "../domain/log.ts";
import type { OutputRules } from "../domain/output/kept-output.ts";
import type { RhythmCount } from "../domain/rate-limit.ts";
import type { Failing, ReachedAudience } from "../domain/settings/reach.ts";
import type { Registry } from "../domain/settings/reconcile.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";

import type { Changes } from "../views/changes.ts";
import type { Views } from "../views/views.ts";
import type { AdminKeys } from "./admin-keyring.ts";
import type {
  BackupFailure,
  Backups,
  Caller,
  Clock,
  Origin,
  Ping,
  PingAnswer,
  Rejected,
  RevokedKey,
  SyncReport,
  TellUnstored,
} from "./api.ts";
import type { Measures } from "./health/measures.ts";
import type { Pulse } from "./hearing/pulse.ts";
import type { KeepAddress } from "./intake/keep-address.ts";
import type { OldAddressCaller } from "./keyring.ts";
import type { OperatorFor } from "./operations/operate.ts";
import type { People } from "./people/people.ts";
import type { EngineSettings, Reloads } from "./reloads.ts";

export interface EngineParts extends EngineSettings {
  readonly store: Store;
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
  /** Why this process cannot serve all connections now; null: it can. */
  readonly hostTrouble: () => string | null;
  /** The user it runs as and takes commands from; null: not known. */
  readonly user: string | null;
  /** The secret part of a new key: 32 base62 characters (R2). */
  readonly randomSecret: () => string;
  /** Where people reach the dashboard, without a slash at its end; null: not known. */
  readonly dashboard: () => string | null;
  readonly backups: Backups;
  readonly reloads: Reloads;
}

export interface Engine {
  readonly as: OperatorFor;
  /** Whose key this is; 403 where its application is suspended, else the one 401 for all but a live key (R2, R3). */
  authenticate(key: string): Caller | Refusal;
  /** The same of an address of another service, by its path in the one spelling; null: it is none that works (R45). */
  atOldAddress(path: string): OldAddressCaller | Refusal | null;
  /** Whether any such address was ever added. */
  hasOldAddresses(): boolean;
  /** Binds an address of another service to a monitor that it has created. Never throws. */
  readonly keepAddress: KeepAddress;
  /** Which revoked key this is, or address of this path, for the log; null: none. */
  revokedKey(secret: string): RevokedKey | null;
  /** What is expected of an application's monitors, of so many as matter for a rate limit. Never throws. */
  rhythmsOf(applicationId: number): readonly RhythmCount[];
  /** Notes from where a monitor is reported, or, with null, from where a key is used otherwise. */
  heardFrom(caller: Caller, monitorKey: string | null, origin: Origin): void;
  /** What becomes of this caller's messages and output; null: nothing is hidden, and no output kept (R46). */
  outputRules(caller: Caller): OutputRules | null;
  /** Records one ping durably; settles after the commit. Never rejects. */
  ingest(ping: Ping): Promise<PingAnswer>;
  /** Notes a report that the rate limit refused: it shows life and nothing else (R26). `setting` names the limit. */
  rateLimited(ping: Ping, setting: string): void;
  /** Notes a report that was refused because something is wrong with it (R33): it changes no monitor. */
  rejected(rejected: Rejected): void;
  /** Reconciles a registry in one transaction. Throws what SQLite throws, and then has changed nothing. */
  sync(caller: Caller, registry: Registry): SyncReport;
  /** By which programs elsewhere ask for operations. Throws what SQLite throws. */
  readonly adminKeys: AdminKeys;
  /** Who signs in to the dashboard. */
  readonly people: People;
  /** Which monitors change, for views that show them live. */
  readonly changes: Changes;
  /** All that is looked at. */
  readonly views: Views;
  /**
   * Why we cannot record a ping or deliver an alert right now; empty when all is well (`/readyz`). For `anyone`, it
   * names no application or destination and repeats no receiver's answer.
   */
  troubles(audience?: ReachedAudience): readonly string[];
}

export interface RunningEngine extends Engine {
  /**
   * Brings configured names into the store and fills the wheel, once. Returns the slugs of applications that wait for
   * their first key.
   */
  start(): string[];
  /**
   * Puts other settings in force, as a start with them would: at once for what comes from now on, and for each monitor by
   * the end of the pieces. Returns what `start` does. Throws what SQLite throws: before the first piece, nothing has changed;
   * later, another call goes on.
   */
  reconfigure(settings: EngineSettings): InPieces<string[]>;
  /** To be called when deliveries have ended: views that are open show it. */
  deliveriesEnded(): void;
  /** Tells the team that a backup failed. Throws what SQLite throws. */
  backupFailed(failure: BackupFailure): void;
  /** For `/metrics`: what is at hand. Throws what SQLite throws. */
  measures(): Measures;
  /** Why this process does not do its work, for its operator; empty when it does (`[self]`). Throws what SQLite throws. */
  unwell(): readonly string[];
  /** Called once a second. */
  tick(): void;
  /** Commits what waits. `deafSince`: when reports were last taken. */
  stop(deafSince: Instant): void;
}
