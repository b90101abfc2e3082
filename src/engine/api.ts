// The types of what the edges give to the engine and get from it: reports, receipts, registries, claims.

import type { BackupPlan } from "../domain/backup.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Message } from "../domain/message/message.ts";
import type { NoticeMessage } from "../domain/message/notice.ts";
import type { Outcomes } from "../domain/monitor/reported-outcomes.ts";
import type { Reply } from "../domain/people/reply.ts";
import type { Route } from "../domain/settings/policy.ts";
import type { DestinationFailure } from "../domain/settings/reach.ts";
import type { Action } from "../domain/settings/reconcile.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";

export type PingKind = "heartbeat" | "start" | "complete" | "fail";
export type KeyScope = "all" | "ping" | "sync";

/** The one source of time, in milliseconds. `monotonic` never steps back and knows no date. */
export interface Clock {
  now(): Instant;
  monotonic(): number;
}

export type Caller = Readonly<{ applicationId: number; application: string; keyId: number; scope: KeyScope }>;

/** One report, whose form and schedule the edge has checked. A parameter that is absent is `null`. */
export interface Ping {
  readonly caller: Caller;
  readonly monitorKey: string;
  /**
   * What the report declares. When it declares nothing, as nearly always, this is the object `NOTHING_DECLARED` itself.
   */
  readonly said: Declared;
  /** `log` fills and changes nothing (R5). */
  readonly kind: PingKind | "log";
  readonly runId: string | null;
  readonly attempt: number | null;
  /** How many seconds before its arrival the report's event happened; `null` when it happens as the report arrives. */
  readonly ageSeconds: number | null;
  /** How many whole seconds the run took, as its client measured it. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  /** The machine and the user of a failing job, as its client names them. */
  readonly host: string | null;
  readonly user: string | null;
  /** What a failing job wrote last, if its application keeps output (R46); otherwise `null`. */
  readonly output: string | null;
  /** The body of a complete; empty for every other report, and for a complete without a body (R9). */
  readonly outcomes: Outcomes;
  /** Parameters that were ignored although they resemble known ones (R7). */
  readonly lookalikes: readonly Lookalike[];
  /** How a repetition of the ping is recognised; `null` when no answer is kept, so that none is. */
  readonly idempotency: Idempotency | null;
}

/**
 * An unknown parameter and the known one that it resembles. The two are equal when the parameter was in the body but
 * belongs in the query.
 */
export type Lookalike = Readonly<{ name: string; meant: string }>;

/** How a ping is recognised, so that repeating it changes nothing (R11). */
export interface Idempotency {
  /** Identifies the ping, together with the monitor; 1 to 128 characters. */
  readonly key: string;
  /** The answer as it is sent. It must be pure, because it may be called twice, and inside the transaction. */
  readonly textOf: (receipt: Receipt) => string;
}

/** The answer to an accepted ping. `at` is its arrival; `happenedAt` is `null` unless the report was late. */
export interface Receipt {
  readonly kind: PingKind | "log";
  readonly monitorKey: string;
  readonly at: Instant;
  readonly happenedAt: Instant | null;
  /** For a complete, the whole seconds since its start; `null` without a start. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  readonly warning: string | null;
}

/** The answer to an accepted ping with an idempotency key, and to each repetition: always the same text (R11). */
export type KeptAnswer = Readonly<{ text: string }>;

export type PingAnswer = Receipt | KeptAnswer | Refusal;

export type Synced = Readonly<{ key: string; name: string; action: Action["action"] }>;

export interface SyncError {
  /** The monitor's key; empty when none can be read. */
  readonly key: string;
  readonly error: string;
  /** Whether the error prevents every removal (R29). */
  readonly blocksRemoval: boolean;
}

export interface SyncReport {
  readonly source: string;
  readonly at: Instant;
  readonly synced: readonly Synced[];
  /** Entries that could not be accepted as declared, or that the plan pauses. */
  readonly errors: readonly SyncError[];
  /** Keys that would have been withdrawn if no error had prevented it (R29), in ascending order. */
  readonly withheld: readonly string[];
  /** How many keys were declared, faulty ones included (R29). */
  readonly total: number;
  readonly faults: number;
}

export interface RevokedKey extends Caller {
  /** Whether the key's application is suspended. People then want no messages about it (R3). */
  readonly suspended: boolean;
}

/** Where a request came from. Finding out costs time, so it is done only when needed. */
export type Origin = Readonly<{ client: () => string; headers: { get(name: string): string | null } }>;

/** A report with a valid key that was refused (R33). */
export interface RefusedPing {
  readonly caller: Caller;
  /** The monitor's key; empty when none can be read. */
  readonly monitorKey: string;
  /** What the request reports; `null` when it named none of these operations. */
  readonly kind: Ping["kind"] | null;
  readonly message?: string | null;
  readonly refusal: Refusal;
}

/** Sends a notice on each of the routes at once, when nothing can be stored (R36). Never throws. */
export type TellUnstored = (message: NoticeMessage, routes: readonly Route[]) => void;

/** A message that the notifier has claimed: one delivery, or several that are sent as one digest (R39). */
export interface ClaimedDelivery {
  /** For a digest, the id of its first delivery. */
  readonly id: number;
  readonly destination: string;
  readonly recipient: string | null;
  /**
   * A name that stays the same over attempts and restarts, and differs for each set of deliveries. The channels make
   * the Message-ID and the webhook-id from it.
   */
  readonly reference: string;
  /**
   * The name that all deliveries of an incident share at every destination (References in a mail). A notice or digest
   * has its own.
   */
  readonly thread: string;
  /** The instant from which the message's age counts; for a digest, that of its newest delivery. */
  readonly createdAt: Instant;
  /** When the plan for its lane wanted it to be sent (R38). Waiting until then does not make the message late. */
  readonly heldUntil?: Instant;
  /** The number of attempts before this one; for a digest, the smallest number among its deliveries. */
  readonly attempts: number;
  readonly message: Message;
  /**
   * In a message that an incident has ended: the id that the service gave to the incident's first message, so that this
   * one can be shown as its answer; absent when the id is not known.
   */
  readonly repliesTo?: string;
  /**
   * What the receiver needs for an answer. It is added when the message is sent; absent when answers would not be
   * accepted.
   */
  readonly replyOptions?: ReplyOptions;
}

/** The token of answers to a message, the answers that can still be given, and lines about those that were given. */
export type ReplyOptions = Readonly<{ token: string; allowed: readonly Reply[]; done: readonly string[] }>;

/** A message as it would be sent now, with the id that its service gave to the one that was sent at `sentAt`. */
export type SentDelivery = ClaimedDelivery & Readonly<{ sentAs: string; sentAt: Instant }>;

/** A claimed message with its deliveries, each once. Deliveries whose alerts are named in it come first. */
export interface Claim extends ClaimedDelivery {
  readonly members: readonly Pick<ClaimedDelivery, "id" | "createdAt">[];
  /**
   * The delivery after which more deliveries wait for this digest; `gather` adds these before the digest is sent.
   * `null` when none wait.
   */
  readonly more: WaitingFor | null;
}

export type GatheredClaim = Readonly<{ claim: Claim; added: Claim["members"] }>;

export type WaitingFor = Readonly<{ id: number; nextAttemptAt: Instant }>;

/**
 * How an attempt of the delivery `id` ended. `answer` is one line for people about what the other side said. `untried`
 * means that no attempt was made, so the delivery waits as before the claim.
 */
export type Ending =
  | (Attempted & { readonly ending: "sent" | "given_up"; readonly at: Instant })
  | (Attempted & {
      readonly ending: "retry";
      readonly nextAttemptAt: Instant;
      /** When the whole message had been sent, if no answer came. Later messages of its lane may then be sent. */
      readonly perhapsTakenAt?: Instant;
    })
  | { readonly id: number; readonly ending: "untried" };

interface Attempted {
  readonly id: number;
  readonly answer: string;
  /** The id that the service gave to the message; absent when it gave none. */
  readonly sentAs?: string;
  /** The digest in which the delivery was counted without being claimed; absent when it was claimed. */
  readonly digestId?: number;
}

/**
 * What the notifier asks for: deliveries that may be attempted at `now`, for at most `limit` destinations outside
 * `busy`.
 */
export interface Wanted {
  readonly now: Instant;
  readonly busy: ReadonlySet<string>;
  readonly limit: number;
  /** How many deliveries may be claimed for one destination. */
  readonly each: number;
  /** Destinations that take digests, with the most deliveries in one message (R39). Each gets one message. */
  readonly digests: ReadonlyMap<string, number>;
  /** Deliveries that must not be part of a digest. */
  readonly alone: ReadonlySet<number>;
  /** Deliveries in progress whose whole message was sent a while ago and is not answered yet. */
  readonly written: readonly number[];
  /**
   * What is new about destinations: how each fails, or `null` when it takes messages, so that all that waits there is
   * due now (R36).
   */
  readonly news: ReadonlyMap<string, DestinationFailure | null>;
  /**
   * Messages that may be sent sooner than their last attempt said, because something shows that they may arrive (R36).
   */
  readonly sooner: readonly Sooner[];
}

/**
 * Which messages at a destination become due sooner: all, all for one recipient, or only the first, to see whether it
 * is taken.
 */
export type Sooner = Readonly<{ destination: string; what: "all" | "first" | { readonly recipient: string } }>;

export interface Claims {
  /**
   * The claims, each of the oldest unfinished delivery of its lane. Destinations that have waited longest come first.
   */
  readonly claimed: readonly Claim[];
  /** When the next delivery is due at a destination that is neither busy nor claimed; `null` when none waits there. */
  readonly nextAttemptAt: Instant | null;
  /** Entries of `sooner` of which only some deliveries could be made due at once. The caller must give them again. */
  readonly unforwarded: readonly Sooner[];
}

/** Whether messages of an application (empty for none) go to this recipient of a destination. */
export type GoesTo = (destination: string, recipient: string | null, application: string) => boolean;

export interface KnownDestinations {
  readonly failing: ReadonlyMap<string, DestinationFailure>;
  readonly takes: readonly Readonly<{ destination: string; recipient: string }>[];
}

/** What the notifier may call. The calls are synchronous, and each is one transaction. */
export interface Outbox {
  /**
   * Forgets the claims of an earlier process. A message that was not answered then is not sent again within the hour.
   */
  releaseClaims(): void;
  /**
   * Compares configured destinations with the remembered ones by fingerprint, at a start and at a reload. Whatever
   * waits at a changed or unknown destination is tried now (R36). Whatever a changed destination gave up within the
   * last day, because it was failing, is tried again if it still `goesTo` that recipient. Returns the names of the
   * changed destinations.
   */
  reconfigured(fingerprints: ReadonlyMap<string, string>, now: Instant, goesTo: GoesTo): readonly string[];
  /** The messages about the trouble of an incident that were sent and can be edited. Only reads. */
  sentOf(incidentId: number): readonly SentDelivery[];
  /**
   * Notes that the service has ended this incident for a destination that was removed, so the destination no longer
   * knows of it.
   */
  tookBack(incidentId: number, destination: string): void;
  /**
   * Returns what earlier processes found out about destinations: which of them fail, and which recipients' mail is
   * taken.
   */
  knownDestinations(): KnownDestinations;
  /**
   * Reads more deliveries for a digest, a limited number at a time, and returns them as `added`, because copying all
   * members each time would cost too much. The claim's message counts them. Deliveries in `alone` are left out. They
   * are not claimed, so the claim's destination must be left alone until the claim has ended. While the engine settles
   * due monitors nothing is read, because the messages that follow from this are to be counted too.
   */
  gather(claim: Claim, now: Instant, alone: ReadonlySet<number>): GatheredClaim;
  /**
   * Stores how attempts ended, then claims, in a single write to disk. If it throws, nothing was stored and the same
   * values must be given again.
   */
  exchange(endings: readonly Ending[], wanted: Wanted): Claims;
}

export interface Backup {
  readonly id: number;
  readonly file: string;
  readonly at: Instant;
  /** How far the backup is. `sending` means that the copy is complete and the operator's command is running. */
  readonly state: "copying" | "sending" | "done" | "failed";
  readonly copied: { readonly bytes: number; readonly monitors: number } | null;
  readonly fault: string | null;
}

/**
 * Why a backup failed: `step` says whether the copy failed or the operator's command after it. `reason` is a sentence.
 */
export type BackupFailure = Readonly<{ step: "copy" | "command"; file: string; at: Instant; reason: string }>;

export type KeptBackup = Readonly<{ file: string; at: Instant; bytes: number }>;

export interface BackupHealth extends BackupPlan {
  /** The directory of the backups that are made automatically. */
  readonly directory: string;
  /** The backup in progress, with how many bytes are written so far; `null` when there is none. */
  readonly underWay: (Backup & { readonly bytes: number }) | null;
  /** How the last automatic backup failed; `null` when it succeeded, or none was made since the start. */
  readonly lastFailure: BackupFailure | null;
  /** When the next automatic backup is due; `null` when none are made. */
  readonly nextAt: Instant | null;
  readonly kept: readonly KeptBackup[];
}

export interface Backups {
  /** Begins a backup to this path, or with `null` to the directory of automatic backups. */
  begin(file: string | null): Backup | Refusal;
  /** The backup with this number; `null` when there is none, or it was long ago. */
  find(id: number): Backup | null;
  health(): BackupHealth;
}

export type SelfPingVerdict = "sent" | "failed" | "withheld";

/** What this rollcall tells another monitor about itself (`[self]`), which an edge does. */
export interface SelfPingHealth {
  /** When such a ping last arrived; `null` when none has arrived since the start. */
  readonly arrivedAt: Instant | null;
  /** The result of the last ping, or `null` before the first. `why` is a sentence in rollcall's words. */
  readonly last: { readonly outcome: SelfPingVerdict; readonly why: string | null } | null;
  readonly counts: Readonly<Record<SelfPingVerdict, number>>;
}
