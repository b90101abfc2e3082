// What the edges hand to the engine and get from it, as types: reports, receipts, registries, claims. What they may ask is
// the `Engine` of parts.ts.

import type { Refusal } from "../domain/errors.ts";
import type { Message } from "../domain/message/message.ts";
import type { NoticeMessage } from "../domain/message/notice-message.ts";
import type { Outcomes } from "../domain/monitor/outcomes.ts";
import type { Route } from "../domain/settings/policy.ts";
import type { Action } from "../domain/settings/reconcile.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyRow } from "../store/keys.ts";

export type PingKind = "heartbeat" | "start" | "complete" | "fail";
export type KeyScope = "all" | "ping" | "sync";

/** The one place time comes from. Both in milliseconds; `monotonic` never steps back and says nothing of the date. */
export interface Clock {
  now(): Instant;
  monotonic(): number;
}

/** Who sent a request: the application its key belongs to. */
export interface Caller {
  readonly applicationId: number;
  readonly application: string;
  readonly keyId: number;
  readonly scope: KeyScope;
}

/**
 * One report, its shape already checked by the edge, its schedule against the grammar of the version that carried it.
 * Absent parameters are null.
 */
export interface Ping extends Declared {
  readonly caller: Caller;
  readonly monitorKey: string;
  /** `log` fills and changes nothing (R5). */
  readonly kind: PingKind | "log";
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly message: string | null;
  /** What a complete carried in its body; empty for everything else, and for one without a body (R9). */
  readonly outcomes: Outcomes;
  /** Parameters that were ignored although they resemble known ones (R7). */
  readonly lookalikes: readonly Lookalike[];
  /** Null: nothing is kept, and no other ping is taken for its repeat. */
  readonly idempotency: Idempotency | null;
}

/** An unknown parameter, and the known one it resembles. */
export interface Lookalike {
  readonly name: string;
  readonly meant: string;
}

/** How we know a ping again, so that its repeats change nothing (R11). */
export interface Idempotency {
  /** 1 to 128 characters; the monitor and this are the identity. */
  readonly key: string;
  /** The answer as it goes out: pure, for it may be called twice, inside the transaction. */
  readonly textOf: (receipt: Receipt) => string;
}

/** What an accepted ping is answered with. `at`: its arrival. */
export interface Receipt {
  readonly kind: PingKind | "log";
  readonly monitorKey: string;
  readonly at: Instant;
  /** Complete only: whole seconds since its start, null without one. */
  readonly durationSeconds: number | null;
  readonly message: string | null;
  readonly warning: string | null;
}

/** What a ping with an idempotency key is answered when it is accepted, and every repeat of it: this very text (R11). */
export interface KeptAnswer {
  readonly text: string;
}

/** What a ping is answered. */
export type PingAnswer = Receipt | KeptAnswer | Refusal;

/** What happened to a monitor that a registry declares, or declares no more. */
export interface Synced {
  readonly key: string;
  readonly name: string;
  readonly action: Action["action"];
}

export interface SyncError {
  /** Empty when no key can be read. */
  readonly key: string;
  /** A sentence. */
  readonly error: string;
  /** Whether it withholds every removal (R29). */
  readonly blocksRemoval: boolean;
}

export interface SyncReport {
  readonly source: string;
  readonly at: Instant;
  readonly synced: readonly Synced[];
  /** Entries that could not be taken as they were declared, or that the plan pauses. */
  readonly errors: readonly SyncError[];
  /** Keys that would have been withdrawn, had no error withheld it (R29); ascending. */
  readonly withheld: readonly string[];
  /** How many keys were declared, faulty ones included (R29). */
  readonly total: number;
  /** How many of them could not be taken. */
  readonly faults: number;
}

/** A key as `key list` shows it: never the key itself. */
export type { KeyRow };

/** A report with a live key that was refused for another reason than the rate limit (R33). */
export interface Rejected {
  readonly caller: Caller;
  /** Empty when none can be read. */
  readonly monitorKey: string;
  /** Null: the request named no operation. */
  readonly kind: Ping["kind"] | null;
  readonly refusal: Refusal;
}

/** Sends a notice on each of the routes at once, when nothing can be stored (R36). Never throws. */
export type TellUnstored = (message: NoticeMessage, routes: readonly Route[]) => void;

/** One message that the notifier has claimed: a delivery, or several that go out as one digest (R39). */
export interface ClaimedDelivery {
  /** Of a digest: its first one's. */
  readonly id: number;
  readonly destination: string;
  readonly recipient: string | null;
  /**
   * Stable over attempts and restarts; distinct per delivery, and per set of deliveries in a digest (Message-ID, webhook-id
   * are made from it).
   */
  readonly reference: string;
  /** Shared by all deliveries of an incident to any destination (References, threads); a notice or digest has its own. */
  readonly thread: string;
  /** Of a digest: its newest one's. */
  readonly createdAt: Instant;
  /** Attempts so far, this one not counted; of a digest, those of the one with the fewest. */
  readonly attempts: number;
  readonly message: Message;
}

/** A claimed message with the deliveries it stands for: the one, or all of its digest, each once. */
export interface Claim extends ClaimedDelivery {
  readonly members: readonly Pick<ClaimedDelivery, "id" | "createdAt">[];
}

/**
 * How an attempt of the delivery `id` ended. `answer`: what the other side said, in a line for people. `untried`: it was
 * not made, and the delivery waits as before it was claimed.
 */
export type Ending =
  | { readonly id: number; readonly ending: "sent" | "given_up"; readonly at: Instant; readonly answer: string }
  | { readonly id: number; readonly ending: "retry"; readonly nextAttemptAt: Instant; readonly answer: string }
  | { readonly id: number; readonly ending: "untried" };

/** Deliveries that may be attempted at `now`, for at most `limit` destinations that are not in `busy`. */
export interface Wanted {
  readonly now: Instant;
  readonly busy: ReadonlySet<string>;
  readonly limit: number;
  /** The largest number for one destination. */
  readonly each: number;
  /** Destinations that take digests, and how many deliveries one message tells at most (R39); each is handed one message. */
  readonly digests: ReadonlyMap<string, number>;
  /** Deliveries that go in no digest. */
  readonly alone: ReadonlySet<number>;
  /**
   * What is new of destinations, to be remembered: since when one fails; null: it takes messages, and whatever waits there
   * may be attempted now (R36).
   */
  readonly news: ReadonlyMap<string, Instant | null>;
}

export interface Claims {
  /**
   * Each the oldest unfinished of its incident and destination, so order is kept; those of a destination stand together,
   * and what waits longest comes first.
   */
  readonly claimed: readonly Claim[];
  /** When one more may be attempted, at a destination neither busy nor claimed for; null when none waits there. */
  readonly nextAttemptAt: Instant | null;
  /** Destinations of the news where more waits than was brought forward at once: name them again. */
  readonly unforwarded: readonly string[];
}

/** What the notifier may ask. Synchronous; each call is one transaction. */
export interface Outbox {
  /** Forgets claims of a process that is gone; called once at start. */
  releaseClaims(): void;
  /**
   * Compares what is configured with what was, by fingerprints: whatever waits at a destination that was changed may be
   * attempted now, as at one that was not known (R36). Answers the names of those that were changed; called once at start.
   */
  reconfigured(fingerprints: ReadonlyMap<string, string>, now: Instant): readonly string[];
  /** Destinations that failed when the last process ended, and since when. */
  failingSince(): ReadonlyMap<string, Instant>;
  /**
   * Stores how attempts ended, then claims: together, so that one sync to disk serves all. Throws when nothing was stored:
   * then hand the same endings in again.
   */
  exchange(endings: readonly Ending[], wanted: Wanted): Claims;
}
