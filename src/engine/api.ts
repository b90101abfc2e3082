// The types with which the outer folders (http/, notify/, backup/, cli/) call the engine: reports and their receipts,
// bulk syncs, deliveries to send, and backups.

import type { BackupPlan } from "../domain/backup.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Message } from "../domain/message/message.ts";
import type { NoticeMessage } from "../domain/message/notice.ts";
import type { Action } from "../domain/monitor/reconcile.ts";
import type { Outcomes } from "../domain/monitor/reported-outcomes.ts";
import type { Reply } from "../domain/people/reply.ts";
import type { Route } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { DestinationFailure } from "../domain/telling/reach.ts";
import type { Instant } from "../domain/time.ts";

export type PingKind = "heartbeat" | "start" | "complete" | "fail";
export type KeyScope = "all" | "ping" | "sync";

/** The one source of time. `monotonic` gives milliseconds that only ever grow, to measure how long something takes. */
export interface Clock {
  now(): Instant;
  monotonic(): number;
}

export type Caller = Readonly<{ applicationId: number; application: string; keyId: number; scope: KeyScope }>;

/** One report, whose form and schedule are checked already. A parameter that the report lacks is `null`. */
export interface Ping {
  readonly caller: Caller;
  readonly monitorKey: string;
  /**
   * The settings that the report declares, such as its schedule. When it declares none, as most reports do, this is the
   * constant `NOTHING_DECLARED` itself, so `===` recognises it.
   */
  readonly said: Declared;
  /** What the report says. A `log` is only kept: it fills no slot and changes no state (R5). */
  readonly kind: PingKind | "log";
  readonly runId: string | null;
  readonly attempt: number | null;
  /** How many seconds before the report's arrival its event happened; `null` when the report was not late. */
  readonly ageSeconds: number | null;
  /** How long the run took in whole seconds, as its client measured it; `null` when the client did not say. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  /** The computer and the user of a failing job, as the client names them. */
  readonly host: string | null;
  readonly user: string | null;
  /** The last lines that a failing job wrote; `null` unless its application keeps output (R46). */
  readonly output: string | null;
  /** The outcomes in the body of a complete; empty for every other report, and for a complete without a body (R9). */
  readonly outcomes: Outcomes;
  /** Unknown parameters that resemble known ones (R7). They are ignored, and the receipt's warning names them. */
  readonly lookalikes: readonly Lookalike[];
  /** The idempotency key of the report; `null` when it has none, so that a repetition counts as a new report. */
  readonly idempotency: Idempotency | null;
}

/**
 * An unknown parameter (`name`) and the known one that was probably meant (`meant`). The two are equal when a known
 * parameter stood in the body, although it belongs in the query.
 */
export type Lookalike = Readonly<{ name: string; meant: string }>;

/** Makes a report recognisable, so that sending it twice has the effect of sending it once (R11). */
export interface Idempotency {
  /** The key that the client chose, unique for its monitor; 1 to 128 characters. */
  readonly key: string;
  /**
   * Turns the receipt into the text that is sent. It is called in the transaction, perhaps twice, so it must change
   * nothing.
   */
  readonly textOf: (receipt: Receipt) => string;
}

/**
 * The receipt: what the sender of an accepted report is told. `at` is when the report arrived. `happenedAt` is when its
 * event happened; `null` unless the report was late.
 */
export interface Receipt {
  readonly kind: PingKind | "log";
  readonly monitorKey: string;
  readonly at: Instant;
  readonly happenedAt: Instant | null;
  /** How long the run of a complete took, in whole seconds; `null` when unknown, and for every other report. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  readonly warning: string | null;
}

/**
 * The finished text of the response to an accepted report with an idempotency key. Every repetition gets this same text
 * (R11).
 */
export type KeptAnswer = Readonly<{ text: string }>;

export type PingAnswer = Receipt | KeptAnswer | Refusal;

export type Synced = Readonly<{ key: string; name: string; action: Action["action"] }>;

export interface SyncError {
  /** The key of the monitor; empty when no key can be read in the faulty entry. */
  readonly key: string;
  readonly error: string;
  /** True when this error keeps the sync from withdrawing monitors (R29): what the registry wants is uncertain. */
  readonly blocksRemoval: boolean;
}

export interface SyncReport {
  readonly source: string;
  readonly at: Instant;
  readonly synced: readonly Synced[];
  /**
   * The errors: entries that were not accepted as they were declared, and monitors that the limit of the paid plan
   * pauses.
   */
  readonly errors: readonly SyncError[];
  /** The keys of monitors that were not withdrawn because an error prevented it (R29), in ascending order. */
  readonly withheld: readonly string[];
  /** How many monitors the registry declared, faulty entries included (R29). */
  readonly total: number;
  readonly faults: number;
}

export interface RevokedKey extends Caller {
  /** Whether the key's application is suspended. While it is, people want no messages about the revoked key (R3). */
  readonly suspended: boolean;
}

/** Where a request came from. `client` finds the address, which costs time, so it is called only when needed. */
export type Origin = Readonly<{ client: () => string; headers: { get(name: string): string | null } }>;

/** A refused report that had a valid key (R33). */
export interface RefusedPing {
  readonly caller: Caller;
  /** The key of the monitor; empty when none can be read in the request. */
  readonly monitorKey: string;
  /** The kind of the report; `null` when the request's path names no kind. */
  readonly kind: Ping["kind"] | null;
  readonly message?: string | null;
  readonly refusal: Refusal;
}

/** Sends a notice on all these routes at once, because nothing can be stored (R36). Never throws. */
export type TellUnstored = (message: NoticeMessage, routes: readonly Route[]) => void;

/** What the notifier sends as one message: one delivery, or several deliveries as one digest (R39). */
export interface ClaimedDelivery {
  /** The id of the delivery; for a digest, that of its first delivery. */
  readonly id: number;
  readonly destination: string;
  readonly recipient: string | null;
  /**
   * The unique name of this message at other systems. It is the same in every attempt, also after a restart, so that a
   * receiver can drop copies. The Message-ID and the webhook-id are made from it.
   */
  readonly reference: string;
  /**
   * The name of the thread (References in a mail), which all messages of one incident share at every destination. If a
   * receiver knew of the trouble by the message of an earlier incident, it gets the later messages in the thread of
   * that earlier incident (R38). Each notice and each digest has its own thread.
   */
  readonly thread: string;
  /** The instant from which the message's age counts; for a digest, that of its newest delivery. */
  readonly createdAt: Instant;
  /**
   * When the message was planned to be sent (R38), such as the end of quiet hours; absent when it was due at once.
   * Waiting until then does not make it late.
   */
  readonly heldUntil?: Instant;
  /** How many attempts were made before this one; for a digest, the smallest number among its deliveries. */
  readonly attempts: number;
  readonly message: Message;
  /**
   * For the end of an incident: the id that the destination's service, such as Telegram, gave to the incident's first
   * message. The service then shows that the end belongs to that message. Absent when the id is unknown.
   */
  readonly repliesTo?: string;
  /** What the receiver needs to reply to the alert; absent when no reply would be accepted. */
  readonly replyOptions?: ReplyOptions;
}

/**
 * The token for replies to this message, the replies that are still possible, and one line about each reply that was
 * given already.
 */
export type ReplyOptions = Readonly<{ token: string; allowed: readonly Reply[]; done: readonly string[] }>;

/**
 * A message that was sent at `sentAt` and may be edited. Its contents are those with which it would be sent now.
 * `sentAs` is the id that the destination's service gave to the message.
 */
export type SentDelivery = ClaimedDelivery & Readonly<{ sentAs: string; sentAt: Instant }>;

/**
 * A message to send now, with its deliveries (`members`). A vast digest names some of its alerts and only counts the
 * others; the deliveries of the named alerts come first.
 */
export interface Claim extends ClaimedDelivery {
  readonly members: readonly Pick<ClaimedDelivery, "id" | "createdAt">[];
  /** The delivery after which `gather` reads further ones for a digest; `null` when there are no more. */
  readonly more: WaitingFor | null;
}

export type GatheredClaim = Readonly<{ claim: Claim; added: Claim["members"] }>;

export type WaitingFor = Readonly<{ id: number; nextAttemptAt: Instant }>;

/**
 * How an attempt to send the delivery `id` ended. `answer` is one line for people: what the receiver's server said, or
 * what went wrong. `untried` means that nothing was sent, so the delivery waits again as it did before.
 */
export type Ending =
  | (Attempted & { readonly ending: "sent" | "given_up"; readonly at: Instant })
  | (Attempted & {
      readonly ending: "retry";
      readonly nextAttemptAt: Instant;
      /**
       * When the whole message had been sent, if no response came afterwards; otherwise absent. The receiver may have
       * the message, so later messages of its lane may be sent.
       */
      readonly perhapsTakenAt?: Instant;
    })
  | { readonly id: number; readonly ending: "untried" };

interface Attempted {
  readonly id: number;
  readonly answer: string;
  /** The id that the service gave to the message; absent when it gave none. */
  readonly sentAs?: string;
  /** The id of the digest that only counted this delivery. Absent when the delivery was claimed itself. */
  readonly digestId?: number;
}

/**
 * What the notifier asks for: deliveries that may be sent at `now`, for at most `limit` destinations. Destinations in
 * `busy` are left out, because earlier messages to them are still being sent or stored.
 */
export interface Wanted {
  readonly now: Instant;
  readonly busy: ReadonlySet<string>;
  readonly limit: number;
  /** How many deliveries one destination gets at most in one call of `exchange`. */
  readonly each: number;
  /**
   * The destinations that take digests (R39), each with the most deliveries that one claim for it may have. If a digest
   * has more deliveries, it only counts the rest. A destination that takes digests gets one message in one call of
   * `exchange`.
   */
  readonly digests: ReadonlyMap<string, number>;
  /** The ids of deliveries that must be sent by themselves, because a receiver refused a digest with them. */
  readonly alone: ReadonlySet<number>;
  /**
   * The ids of deliveries whose whole message was sent a while ago, while the attempt still waits for the response. The
   * receiver may have these messages, so later messages of their lanes may be sent.
   */
  readonly written: readonly number[];
  /**
   * What the notifier has learned about destinations: how each fails, or `null` when it takes messages again.
   * Everything that waits at a destination that takes messages again is due now (R36).
   */
  readonly news: ReadonlyMap<string, DestinationFailure | null>;
  /** Waiting messages that are tried sooner than planned, because something shows that they may arrive now (R36). */
  readonly sooner: readonly Sooner[];
}

/**
 * Which waiting messages of a destination become due now. `first`: only one of them, to try whether the destination
 * takes it. `recipient`: those to this recipient.
 */
export type Sooner = Readonly<{ destination: string; what: "all" | "first" | { readonly recipient: string } }>;

export interface Claims {
  /**
   * The messages to send now, first those of the destination that has waited longest. Each delivery is the oldest
   * unfinished one of its lane, because the messages of a lane are sent in order. A delivery that its
   * receiver has perhaps got already, although no response came, does not hold up later ones.
   */
  readonly claimed: readonly Claim[];
  /**
   * When the next waiting delivery is due; `null` if none waits. Deliveries at destinations in `Wanted.busy`, and at
   * destinations of the messages in `claimed`, do not count.
   */
  readonly nextAttemptAt: Instant | null;
  /**
   * The entries of `Wanted.sooner` whose deliveries were too many for one transaction. The notifier must give them
   * again.
   */
  readonly unforwarded: readonly Sooner[];
}

/**
 * Whether this recipient of a destination gets messages about an application, by the present configuration.
 * `application` is empty for messages about no application.
 */
export type GoesTo = (destination: string, recipient: string | null, application: string) => boolean;

export interface KnownDestinations {
  readonly failing: ReadonlyMap<string, DestinationFailure>;
  readonly recentRecipients: readonly Readonly<{ destination: string; recipient: string }>[];
}

/** What the notifier may ask of the engine. Each call is synchronous and is one transaction. */
export interface Outbox {
  /**
   * Makes deliveries that an earlier process was sending ready to be sent again. A message that had been sent but got
   * no response waits for an hour first.
   */
  releaseClaims(): void;
  /**
   * Compares the configured destinations with those of the last start or reload, by a fingerprint of their settings.
   * Whatever waits at a new or changed destination is due now (R36). If messages to a changed destination were given up
   * within the last day because it was failing, they are tried again, if `goesTo` still allows it. Returns the names of
   * the changed destinations.
   */
  reconfigured(fingerprints: ReadonlyMap<string, string>, now: Instant, goesTo: GoesTo): readonly string[];
  /** Returns the messages about the incident's trouble that were sent and can still be edited. Changes nothing. */
  sentOf(incidentId: number): readonly SentDelivery[];
  /**
   * Notes that this incident was ended at the service of a removed destination, for example at PagerDuty. The receivers
   * of that destination then no longer count as knowing of the incident.
   */
  noteTakenBack(incidentId: number, destination: string): void;
  /** Returns what earlier processes learned: which destinations fail, and which recipients' mail is taken. */
  knownDestinations(): KnownDestinations;
  /**
   * Reads some more deliveries for a digest and returns them as `added`, with a message that counts them. Those in
   * `alone` are left out, because they must be sent by themselves. The added deliveries are not claimed, so the
   * notifier must send nothing else to this destination until the digest has ended. While due monitors are still being
   * judged, for half a minute at most, nothing is read: the digest waits for their messages.
   */
  gather(claim: Claim, now: Instant, alone: ReadonlySet<number>): GatheredClaim;
  /**
   * Stores how attempts ended and returns what to send next, in one write to disk. If it throws, nothing was stored,
   * and the notifier must give the same values again.
   */
  exchange(endings: readonly Ending[], wanted: Wanted): Claims;
}

export interface Backup {
  readonly id: number;
  readonly file: string;
  readonly at: Instant;
  /** `sending`: the copy is complete, and the operator's command, which takes it elsewhere, is running. */
  readonly state: "copying" | "sending" | "done" | "failed";
  readonly copied: { readonly bytes: number; readonly monitors: number } | null;
  readonly fault: string | null;
}

/** Why a backup failed, as a sentence. The step `command` is the operator's command, which takes the copy elsewhere. */
export type BackupFailure = Readonly<{ step: "copy" | "command"; file: string; at: Instant; reason: string }>;

export type KeptBackup = Readonly<{ file: string; at: Instant; bytes: number }>;

export interface BackupHealth extends BackupPlan {
  /** The directory for backups that rollcall makes by itself. */
  readonly directory: string;
  /** The backup in progress, with the bytes written so far; `null` when there is none. */
  readonly underWay: (Backup & { readonly bytes: number }) | null;
  /** How the last automatic backup failed; `null` when it succeeded, or none was made since the start. */
  readonly lastFailure: BackupFailure | null;
  /** When the next automatic backup is due; `null` when none are made. */
  readonly nextAt: Instant | null;
  readonly kept: readonly KeptBackup[];
}

export interface Backups {
  /** Begins a backup into this file; with `null`, into the directory of automatic backups. */
  begin(file: string | null): Backup | Refusal;
  /** Returns the backup with this number; `null` when there is none, or it is too old to be remembered. */
  find(id: number): Backup | null;
  health(): BackupHealth;
}

export type SelfPingVerdict = "sent" | "failed" | "withheld";

/** How the pings went that tell another monitoring service that rollcall is alive (notify/self-ping.ts). */
export interface SelfPingHealth {
  /** When a ping last arrived at the other service; `null` when none has arrived since the start. */
  readonly arrivedAt: Instant | null;
  /** How the last ping ended; `null` before the first. `why` is a sentence in rollcall's words. */
  readonly last: { readonly outcome: SelfPingVerdict; readonly why: string | null } | null;
  readonly counts: Readonly<Record<SelfPingVerdict, number>>;
}
