// The engine as types: its parts, and what callers may ask. http and the CLI depend on nothing else.

import type { Refusal } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Span } from "../domain/monitor/window.ts";
import type { OutputRules } from "../domain/output/kept-output.ts";
import type { RhythmCount } from "../domain/rate-limit.ts";
import type { Registry } from "../domain/settings/reconcile.ts";
import type { Instant } from "../domain/time.ts";
import type { IncidentFilter } from "../store/page-lists.ts";
import type { Store } from "../store/store.ts";
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
import type { Pulse } from "./clock/pulse.ts";
import type { KeepAddress } from "./intake/keep-address.ts";
import type { OldAddressCaller } from "./keyring.ts";
import type { Chapter } from "./operations/answers/incidents.ts";
import type { Operating } from "./operations/operate.ts";
import type { People } from "./people/people.ts";
import type { Board } from "./reads/board.ts";
import type { Changes } from "./reads/changes.ts";
import type { Day } from "./reads/day.ts";
import type { InStretches } from "./reads/in-stretches.ts";
import type { JobPast } from "./reads/job-past.ts";
import type { StoryAsked } from "./reads/job-story.ts";
import type { LookBack, LookBackAsked } from "./reads/look-back.ts";
import type { DestinationStanding } from "./reads/look-destinations.ts";
import type { ViewContext } from "./reads/look-monitors.ts";
import type { Measures, MeasuresRead } from "./reads/measures.ts";
import type { OwnHealth } from "./reads/own-health.ts";
import type { DeliveriesAsked, DeliveryPage, IncidentPage } from "./reads/page-lists.ts";
import type { RecentRun } from "./reads/recent-runs.ts";
import type { SyncStatus } from "./reads/sync-status.ts";
import type { EngineSettings, Reloads } from "./reloads.ts";
import type { Failing, ReachedAudience } from "./telling/reach.ts";

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

/** It runs the operations of the table, for the user of the commands or for others. */
export interface Engine extends Operating {
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
  /** The application's monitors. Each stretch is made when it is asked for, and throws what SQLite throws. */
  syncStatus(caller: Caller): InStretches<SyncStatus>;
  /** By which programs elsewhere ask for operations. Throws what SQLite throws. */
  readonly adminKeys: AdminKeys;
  /** Who signs in to the dashboard. */
  readonly people: People;
  /** What every screen's words depend on. */
  viewContext(): ViewContext;
  /** How rollcall itself is. Throws what SQLite throws. */
  health(): OwnHealth;
  /** Which monitors change, for views that show them live. */
  readonly changes: Changes;
  /** All monitors at a glance. */
  readonly board: Board;
  /** What changes of it are named by; null: there is no such monitor. Throws what SQLite throws. */
  monitorId(application: string, key: string): number | null;
  /** What a monitor's page shows of its past. A stretch throws what SQLite throws. */
  past(application: string, key: string, asked: StoryAsked): InStretches<JobPast | Refusal>;
  /** The last runs of a monitor, oldest first; none if there is no such monitor. Throws what SQLite throws. */
  lastRuns(application: string, key: string, count: number): readonly RecentRun[];
  /** What these monitors did in this span, and what was due in it. A stretch throws what SQLite throws. */
  day(ids: readonly number[], span: Span): InStretches<Day>;
  /** The monitors that had an incident open in this span. Throws what SQLite throws. */
  troubledIn(span: Span): ReadonlySet<number>;
  /** Monitors of one application with their last days. A stretch throws what SQLite throws. */
  lookBack(asked: LookBackAsked): InStretches<LookBack>;
  /** Newest first, for viewers of some applications too. Throws what SQLite throws. */
  incidents(filter: IncidentFilter): IncidentPage;
  /** The same of deliveries. */
  deliveries(asked: DeliveriesAsked): DeliveryPage;
  /** How each destination fares. Throws what SQLite throws. */
  destinations(): readonly DestinationStanding[];
  /** What was told of these incidents, oldest first, by incident. Throws what SQLite throws. */
  chapters(incidentIds: readonly number[]): ReadonlyMap<number, readonly Chapter[]>;
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
   * the end of the stretches. Returns what `start` does. Throws what SQLite throws: before the first stretch, nothing has changed;
   * later, another call goes on.
   */
  reconfigure(settings: EngineSettings): InStretches<string[]>;
  /** To be called when deliveries have ended: views that are open show it. */
  deliveriesEnded(): void;
  /** Tells the team that a backup failed. Throws what SQLite throws. */
  backupFailed(failure: BackupFailure): void;
  /** For `/metrics`: what is at hand. Throws what SQLite throws. */
  measures(): Measures;
  /** The same of what must be read, with at most `most` monitors by themselves. A stretch throws what SQLite throws. */
  readAll(most: number): InStretches<MeasuresRead>;
  /** Why this process does not do its work, for its operator; empty when it does (`[self]`). Throws what SQLite throws. */
  unwell(): readonly string[];
  /** Called once a second. */
  tick(): void;
  /** Commits what waits. `deafSince`: when reports were last taken. */
  stop(deafSince: Instant): void;
}
