// What the edges give to the engine and get from it, as types: reports, receipts, registries, claims.

import type { BackupPlan } from "../domain/backup.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Message } from "../domain/message/message.ts";
import type { NoticeMessage } from "../domain/message/notice.ts";
import type { Outcomes } from "../domain/monitor/outcomes.ts";
import type { AnswerAct } from "../domain/people/reply.ts";
import type { Route } from "../domain/settings/policy.ts";
import type { DestinationFailure } from "../domain/settings/reach.ts";
import type { Action } from "../domain/settings/reconcile.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";

export type PingKind = "heartbeat" | "start" | "complete" | "fail";
export type KeyScope = "all" | "ping" | "sync";

/** The one source of time, in milliseconds; `monotonic` never steps back and knows no date. */
export interface Clock {
  now(): Instant;
  monotonic(): number;
}

export type Caller = Readonly<{ applicationId: number; application: string; keyId: number; scope: KeyScope }>;

/** One report, its shape and schedule already checked by the edge. Absent parameters are null. */
export interface Ping {
  readonly caller: Caller;
  readonly monitorKey: string;
  /** `NOTHING_DECLARED` itself: it declares nothing, as nearly all. */
  readonly said: Declared;
  /** `log` fills and changes nothing (R5). */
  readonly kind: PingKind | "log";
  readonly runId: string | null;
  readonly attempt: number | null;
  /** How many seconds before its arrival it happened; null: as it arrives. */
  readonly ageSeconds: number | null;
  /** How many whole seconds the run took, as its client measured it. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  /** On which machine and as which user a failing job ran, as its client says. */
  readonly host: string | null;
  readonly user: string | null;
  /** What a failing job wrote last, where its application keeps that (R46); else null. */
  readonly output: string | null;
  /** The body of a complete; empty for everything else, and for a complete without one (R9). */
  readonly outcomes: Outcomes;
  /** Parameters that we ignored although they resemble known ones (R7). */
  readonly lookalikes: readonly Lookalike[];
  /** Null: we keep no answer, and recognize no repeats. */
  readonly idempotency: Idempotency | null;
}

/** Both are the same of a parameter that stood in the body: it belongs into the query. */
export type Lookalike = Readonly<{ name: string; meant: string }>;

/** How we recognize a ping, so that its repeats change nothing (R11). */
export interface Idempotency {
  /** 1 to 128 characters; the monitor and this are the identity. */
  readonly key: string;
  /** The answer as we send it: pure, because we may call it twice, inside the transaction. */
  readonly textOf: (receipt: Receipt) => string;
}

/** The answer to an accepted ping. `at`: its arrival; `happenedAt`: null unless it was late. */
export interface Receipt {
  readonly kind: PingKind | "log";
  readonly monitorKey: string;
  readonly at: Instant;
  readonly happenedAt: Instant | null;
  /** Complete only: whole seconds since its start, null without one. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  readonly warning: string | null;
}

/** The answer to an accepted ping with an idempotency key, and to each repeat: this very text (R11). */
export type KeptAnswer = Readonly<{ text: string }>;

export type PingAnswer = Receipt | KeptAnswer | Refusal;

export type Synced = Readonly<{ key: string; name: string; action: Action["action"] }>;

export interface SyncError {
  /** Empty when no key can be read. */
  readonly key: string;
  readonly error: string;
  /** Whether it withholds every removal (R29). */
  readonly blocksRemoval: boolean;
}

export interface SyncReport {
  readonly source: string;
  readonly at: Instant;
  readonly synced: readonly Synced[];
  /** Entries that we could not accept as declared, or that the plan pauses. */
  readonly errors: readonly SyncError[];
  /** Keys that we would have withdrawn if no error had withheld it (R29); ascending. */
  readonly withheld: readonly string[];
  /** How many keys were declared, faulty ones included (R29). */
  readonly total: number;
  readonly faults: number;
}

export interface RevokedKey extends Caller {
  /** Its application is suspended: people asked for quiet (R3). */
  readonly suspended: boolean;
}

/** Where a request came from. Both cost something, and are asked only now and then. */
export type Origin = Readonly<{ client: () => string; headers: { get(name: string): string | null } }>;

/** A report with a live key that was refused (R33). */
export interface RefusedPing {
  readonly caller: Caller;
  /** Empty when none can be read. */
  readonly monitorKey: string;
  /** Null: the request named no operation. */
  readonly kind: Ping["kind"] | null;
  readonly message?: string | null;
  readonly refusal: Refusal;
}

/** Sends a notice on each of the routes at once, when nothing can be stored (R36). Never throws. */
export type TellUnstored = (message: NoticeMessage, routes: readonly Route[]) => void;

/** A message that the notifier has claimed: one delivery, or several sent as one digest (R39). */
export interface ClaimedDelivery {
  /** Of a digest: its first one's. */
  readonly id: number;
  readonly destination: string;
  readonly recipient: string | null;
  /** Stable over attempts and restarts, distinct per set of deliveries: Message-ID and webhook-id come from it. */
  readonly reference: string;
  /** Shared by all deliveries of an incident to any destination (References); a notice or digest has its own. */
  readonly thread: string;
  /** From when its age counts; of a digest: its newest one's. */
  readonly createdAt: Instant;
  /** Its destination was to hear of it from then on (R38): it is not late by that. */
  readonly heldUntil?: Instant;
  /** Attempts so far, without this one; for a digest, the fewest of its deliveries. */
  readonly attempts: number;
  readonly message: Message;
  /** Of the end of an incident: what its service calls the first message; absent: that is not known. */
  readonly repliesTo?: string;
  /** Added as it is sent; absent: no answer would be taken. */
  readonly answering?: MessageAnswers;
}

/** What answers to a message bear, which can still be given, and lines about those that were. */
export type MessageAnswers = Readonly<{ token: string; acts: readonly AnswerAct[]; done: readonly string[] }>;

/** A message as it would be sent now, and what its service calls what was sent at `sentAt`. */
export type SentDelivery = ClaimedDelivery & Readonly<{ sentAs: string; sentAt: Instant }>;

/** A claimed message with its deliveries, each once; those whose alerts it names come first. */
export interface Claim extends ClaimedDelivery {
  readonly members: readonly Pick<ClaimedDelivery, "id" | "createdAt">[];
  /** More waits for its digest behind this delivery, which `gather` adds before it is sent; null: nothing more. */
  readonly more: WaitingFor | null;
}

export type GatheredClaim = Readonly<{ claim: Claim; added: Claim["members"] }>;

export type WaitingFor = Readonly<{ id: number; nextAttemptAt: Instant }>;

/**
 * How an attempt of the delivery `id` ended. `answer`: one line for people of what the other side said. `untried`: no
 * attempt was made, and the delivery waits as before the claim.
 */
export type Ending =
  | (Attempted & { readonly ending: "sent" | "given_up"; readonly at: Instant })
  | (Attempted & {
      readonly ending: "retry";
      readonly nextAttemptAt: Instant;
      /** The whole message was sent and not answered by then: what waits behind it in its lane may pass. */
      readonly perhapsTakenAt?: Instant;
    })
  | { readonly id: number; readonly ending: "untried" };

interface Attempted {
  readonly id: number;
  readonly answer: string;
  /** What the service calls the message that was sent; absent: it did not say. */
  readonly sentAs?: string;
  /** The digest as part of which it went out though it had not been claimed; absent: it was. */
  readonly digestId?: number;
}

/** Deliveries that may be attempted at `now`, for at most `limit` destinations that are not in `busy`. */
export interface Wanted {
  readonly now: Instant;
  readonly busy: ReadonlySet<string>;
  readonly limit: number;
  /** The largest number for one destination. */
  readonly each: number;
  /** Destinations that take digests, with the most deliveries in one message (R39); each gets one message. */
  readonly digests: ReadonlyMap<string, number>;
  /** Deliveries that go in no digest. */
  readonly alone: ReadonlySet<number>;
  /** Deliveries under way whose whole message was sent a while ago, and is not answered yet. */
  readonly written: readonly number[];
  /** How each destination fails; null: it takes messages, and what waits there is due now (R36). */
  readonly news: ReadonlyMap<string, DestinationFailure | null>;
  /** What is due sooner than its last attempt said, because something shows that it may arrive (R36). */
  readonly sooner: readonly Sooner[];
}

/** What waits at a destination: all, all for one recipient, or its first message, to see whether it is taken. */
export type Sooner = Readonly<{ destination: string; what: "all" | "first" | { readonly recipient: string } }>;

export interface Claims {
  /** Each the oldest unfinished of its incident and destination; by destination, the longest waiting first. */
  readonly claimed: readonly Claim[];
  /** When the next one is due at a destination that is neither busy nor claimed; null: none waits there. */
  readonly nextAttemptAt: Instant | null;
  /** Where more waits than we made due at once: name it again. */
  readonly unforwarded: readonly Sooner[];
}

/** Whether messages of an application (empty: of none) go to this recipient of a destination. */
export type GoesTo = (destination: string, recipient: string | null, application: string) => boolean;

export interface KnownDestinations {
  readonly failing: ReadonlyMap<string, DestinationFailure>;
  readonly takes: readonly Readonly<{ destination: string; recipient: string }>[];
}

/** What the notifier may call. Synchronous; each call is one transaction. */
export interface Outbox {
  /** Forgets the claims of an earlier process: what was not answered then is not sent again within the hour. */
  releaseClaims(): void;
  /**
   * Compares configured destinations with the remembered ones by fingerprint. What is due at a changed or unknown one
   * is tried now (R36). What a changed one was failing for is tried again where it was given up within the last day, if
   * it still `goesTo` that recipient. Returns the names of the changed ones; called at a start and at a reload.
   */
  reconfigured(fingerprints: ReadonlyMap<string, string>, now: Instant, goesTo: GoesTo): readonly string[];
  /** What was sent about the trouble of an incident and can be edited; reads only. */
  sentOf(incidentId: number): readonly SentDelivery[];
  /** A service has ended this incident for a destination that was taken out: it knows nothing of it any more. */
  tookBack(incidentId: number, destination: string): void;
  /** What is known of destinations from earlier processes: those that fail, and for whom mail is taken. */
  knownDestinations(): KnownDestinations;
  /**
   * Reads more for a digest, a bounded number: the claim's message counts them, and they are `added` to its members,
   * which are not copied for each such piece, because they may be very many. Not those that are `alone`. They are not
   * claimed, so the claim's destination must be left alone until it has ended. Reads nothing yet while the engine
   * settles what is due: that goes first, and the message counts it too.
   */
  gather(claim: Claim, now: Instant, alone: ReadonlySet<number>): GatheredClaim;
  /** Stores how attempts ended, then claims, in one sync. Throws when nothing was stored: hand the same in again. */
  exchange(endings: readonly Ending[], wanted: Wanted): Claims;
}

export interface Backup {
  readonly id: number;
  readonly file: string;
  readonly at: Instant;
  /** `sending`: the copy is whole, and the operator's command has it. */
  readonly state: "copying" | "sending" | "done" | "failed";
  readonly copied: { readonly bytes: number; readonly monitors: number } | null;
  readonly fault: string | null;
}

/** `step`: whether the copy failed, or the operator's command after it. `reason`: a sentence. */
export type BackupFailure = Readonly<{ step: "copy" | "command"; file: string; at: Instant; reason: string }>;

export type KeptBackup = Readonly<{ file: string; at: Instant; bytes: number }>;

export interface BackupHealth extends BackupPlan {
  /** Where those go that are made by themselves. */
  readonly directory: string;
  /** `bytes`: what is written by now. */
  readonly underWay: (Backup & { readonly bytes: number }) | null;
  /** Null: the last of our own went well, or there was none since the start. */
  readonly lastFailure: BackupFailure | null;
  /** Null: none is made by itself. */
  readonly nextAt: Instant | null;
  readonly kept: readonly KeptBackup[];
}

export interface Backups {
  /** Begins one: to this path, or beside those that are made by themselves (null). */
  begin(file: string | null): Backup | Refusal;
  /** Null: there is none of this number, or it was long ago. */
  find(id: number): Backup | null;
  health(): BackupHealth;
}

export type SelfPingOutcome = "sent" | "failed" | "withheld";

/** What this rollcall has told another monitor of itself (`[self]`), as an edge does it. */
export interface SelfPingHealth {
  /** When one last arrived; null: none has since the start. */
  readonly arrivedAt: Instant | null;
  /** What became of the last; null: there was none yet. `why`: a sentence of our own. */
  readonly last: { readonly outcome: SelfPingOutcome; readonly why: string | null } | null;
  readonly counts: Readonly<Record<SelfPingOutcome, number>>;
}
