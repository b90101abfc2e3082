// What the edges may ask of the engine, as types: the one boundary http, notify and the CLI are written against.

import type { Refusal } from "../domain/errors.ts";
import type { Message } from "../domain/message.ts";
import type { Instant } from "../domain/time.ts";
import type { KeyRow } from "../store/keys.ts";
import type { Operators } from "./operators-contract.ts";

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

/** One report, its shape already checked by the edge. Absent parameters are null. */
export interface Ping {
  readonly caller: Caller;
  readonly monitorKey: string;
  /** `log` fills and changes nothing (R5). */
  readonly kind: PingKind | "log";
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly message: string | null;
  /** Already checked against the grammar of the version that carried it. */
  readonly schedule: string | null;
  readonly graceSeconds: number | null;
  readonly name: string | null;
  readonly timezone: string | null;
  readonly maxRuntimeSeconds: number | null;
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

export interface ApplicationRow {
  readonly slug: string;
  readonly createdAt: Instant;
}

/** A key as `key list` shows it: never the key itself. */
export type { KeyRow };

export interface Engine extends Operators {
  /** Whose key this is, or the one 401 for everything that is not a live key (R2, R3). */
  authenticate(key: string): Caller | Refusal;
  /** Records one ping durably; settles after the commit. Never rejects. */
  ingest(ping: Ping): Promise<Receipt | Refusal>;
  /** Takes note that a rate limit refused this report: evidence of life and nothing else (R26). `setting` sets the limit. */
  refused(ping: Ping, setting: string): void;
  createApplication(slug: string): ApplicationRow | Refusal;
  /** Creates a key with this secret part (32 base62 characters) and answers it whole, this once. */
  createKey(
    application: string,
    scope: KeyScope,
    secret: string,
  ): { readonly key: string; readonly row: KeyRow } | Refusal;
  /** All applications' keys, or one's. */
  listKeys(application: string | null): readonly KeyRow[] | Refusal;
  revokeKey(id: number): KeyRow | Refusal;
  /** Why a ping could not be recorded or an alert not delivered right now; empty when all is well (`/readyz`). */
  troubles(): readonly string[];
}

/** One delivery the notifier has claimed. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly destination: string;
  readonly recipient: string | null;
  /** Stable over attempts and restarts; distinct per delivery (Message-ID, webhook-id are made from it). */
  readonly reference: string;
  /** Shared by all deliveries of an incident to any destination (References, threads); a notice has its own. */
  readonly thread: string;
  readonly createdAt: Instant;
  /** Attempts so far, this one not counted. */
  readonly attempts: number;
  readonly message: Message;
}

/** What the notifier may ask: claim, then say how each attempt ended. All synchronous, each one transaction. */
export interface Outbox {
  /** Forgets claims of a process that is gone; called once at start. */
  releaseClaims(): void;
  /**
   * Claims deliveries that may be attempted at `now`, at most one per destination not in `busy`; the oldest unfinished of its
   * incident and destination only, so order is kept.
   */
  claim(now: Instant, busy: ReadonlySet<string>, limit: number): readonly ClaimedDelivery[];
  sent(id: number, at: Instant, answer: string): void;
  retry(id: number, nextAttemptAt: Instant, answer: string): void;
  giveUp(id: number, at: Instant, answer: string): void;
  /** When a waiting delivery may be attempted at a destination not in `busy`; null when none waits there. */
  nextAttemptAt(busy?: ReadonlySet<string>): Instant | null;
}
