// Intake: reports join a batch, and each batch is one transaction; also reports that a rate limit refused, or that are
// wrong. Does not decide what a report means.

import { type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { isLateReport } from "../../domain/monitor/late.ts";
import type { RhythmCount } from "../../domain/rate-limit.ts";
import { DAMAGE_WORDS, isDamage } from "../../domain/storage-fault.ts";
import type { Instant } from "../../domain/time.ts";
import type { Caller, Clock, Ping, PingAnswer, Rejected, RevokedKey } from "../api.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Keyring, OldAddressCaller } from "../keyring.ts";
import { createBatcher } from "./batcher.ts";
import { type Ingested, type IntakeContext, ingest } from "./ingest.ts";
import { createIntakeCounts, type SeenIntake } from "./intake-counts.ts";
import { ingestRateLimited, type RateLimited } from "./rate-limited.ts";

/** Pings that share one transaction at most; a turn that brought more commits the rest in the next. */
const BATCH_LIMIT = 2_000;

/** So many call for more than any limit grows to, whatever their schedules. */
const MONITORS_COUNTED = 5_000;

/** Nobody reads it: the sender already has the rate limit's answer. */
const REFUSED = refuse("RATE_LIMIT_EXCEEDED", "the rate limit refused the report");
const NOT_PROCESSED = refuse("INTERNAL_ERROR", "the report could not be processed");
const NOT_READ = refuse("STORAGE_UNAVAILABLE", `${DAMAGE_WORDS}; the report was not recorded, send it again`);
const NOT_STORED = refuse("STORAGE_UNAVAILABLE", "the report could not be stored; it was not recorded, send it again");

interface Arrival {
  readonly ping: Ping;
  readonly at: Instant;
  /** The setting whose limit refused it; null: record it. */
  readonly refusedBy: string | null;
}

export interface Intake {
  /** See `Engine.authenticate`. */
  authenticate(key: string): Caller | Refusal;
  hasOldAddresses(): boolean;
  /** See `Engine.atOldAddress`. */
  atOldAddress(path: string): OldAddressCaller | Refusal | null;
  /** See `Engine.revokedKey`. */
  revokedKey(key: string): RevokedKey | null;
  /** See `Engine.ingest`. */
  ingest(ping: Ping): Promise<PingAnswer>;
  /** See `Engine.rateLimited`. */
  rateLimited(ping: Ping, setting: string): void;
  /** Commits the reports that wait, now. */
  flush(): void;
  /** What came in since the start. */
  seen(): SeenIntake;
}

interface IntakeParts {
  readonly context: IntakeContext;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly keyring: Keyring;
  readonly memory: MonitorMemory;
  readonly log: Log;
  readonly schedule: (run: () => void) => void;
  /** Remembers a report that was refused. */
  readonly noteRefused: (rejected: Rejected) => void;
}

export function createIntake(parts: IntakeParts): Intake {
  const { context, clock, committer, keyring, memory, log, schedule, noteRefused } = parts;
  const { rateLimitedMemory } = context;
  const counts = createIntakeCounts();
  const unstored = createUnstoredNotes(committer, noteRefused);
  const batcher = createBatcher<Arrival, PingAnswer>({
    commit,
    failed: () => NOT_STORED,
    schedule,
    limit: BATCH_LIMIT,
  });

  function commit(arrivals: readonly Arrival[]): PingAnswer[] {
    const startedAt = clock.monotonic();
    const results = unstored.noteThrown(arrivals, () =>
      committer.all<Arrival, Ingested>(arrivals, take, thrown, arrivals[0]!.at),
    );
    counts.committed(arrivals, results, clock.monotonic() - startedAt);
    unstored.noteUnread(arrivals.filter((_, index) => results[index]!.answer === NOT_READ));
    for (const { rateLimited } of results) if (rateLimited !== undefined) rateLimitedMemory.remember(rateLimited);
    memory.finish(results.map(({ afterCommit }) => afterCommit));
    return results.map(({ answer }) => answer);
  }

  const take = ({ ping, at, refusedBy }: Arrival): Ingested =>
    refusedBy === null ? ingest(context, ping, at) : takeNote(ingestRateLimited(context, ping, at, refusedBy));

  function thrown({ ping }: Arrival, error: unknown): Ingested {
    const { application } = ping.caller;
    log("error", "ping_failed", { application, monitor: ping.monitorKey, error });
    return { answer: isDamage(error) ? NOT_READ : NOT_PROCESSED, afterCommit: null };
  }

  function lookUp<Found>(find: () => Found): Found | Refusal {
    try {
      return find();
    } catch (error) {
      committer.lost(error);
      return NOT_STORED;
    }
  }

  function revokedKey(secret: string): RevokedKey | null {
    try {
      return keyring.revoked(secret);
    } catch {
      // It is only for the log.
      return null;
    }
  }

  return {
    authenticate: (key) => lookUp(() => keyring.authenticate(key)),
    hasOldAddresses: keyring.hasOldAddresses,
    atOldAddress: (path) => lookUp(() => keyring.atOldAddress(path)),
    revokedKey,
    ingest: (ping) => batcher.submit({ ping, at: clock.now(), refusedBy: null }),
    rateLimited: (ping, setting) => {
      // It says nothing of the present, and its client keeps it to send it again.
      if (isLateReport(ping)) return;
      const at = clock.now();
      // A refusal that repeats a known one costs nothing more.
      if (rateLimitedMemory.isNews(ping, at)) void batcher.submit({ ping, at, refusedBy: setting });
    },
    flush: batcher.flush,
    seen: counts.seen,
  };
}

/** R26: reports that could not be stored are remembered; a failure among them would otherwise be told to no one. */
function createUnstoredNotes(committer: Committer, noteRefused: IntakeParts["noteRefused"]) {
  function note(arrivals: readonly Arrival[], refusal: Refusal): void {
    for (const { ping, refusedBy } of arrivals) {
      // The client of a late report keeps it until it is taken.
      if (refusedBy === null && !isLateReport(ping)) noteRefused({ ...ping, refusal });
    }
  }

  return {
    /** The batch, whose reports are noted if it fails as a whole. */
    noteThrown: <Result>(arrivals: readonly Arrival[], commit: () => Result): Result => {
      try {
        return commit();
      } catch (error) {
        note(arrivals, NOT_STORED);
        throw error;
      }
    },
    /** The others of their batch are stored, but the monitors of these could not be read. */
    noteUnread: (arrivals: readonly Arrival[]): void => {
      if (arrivals[0] === undefined) return;
      committer.unheard(arrivals[0].at);
      note(arrivals, NOT_READ);
    },
  };
}

/** See `Engine.rhythmsOf`. */
export function rhythmsOf({ store }: EngineContext, applicationId: number): readonly RhythmCount[] {
  try {
    return store.monitors.rhythms(applicationId, MONITORS_COUNTED);
  } catch {
    // While nothing can be read, no report is taken either.
    return [];
  }
}

const takeNote = (rateLimited: RateLimited): Ingested => ({
  answer: REFUSED,
  afterCommit: rateLimited.afterCommit,
  rateLimited,
});
