// The committer: the way to every transaction that settles or tells something. It looks at the clocks before, so that a gap of
// ours is known to what the transaction decides (R26), and knows whether storage takes what is written. Upkeep, keys and the
// notifier's outbox settle nothing and have transactions of their own.

import type { Log } from "../domain/log.ts";
import type { StorageTrouble } from "../domain/message/storage-news.ts";
import { storageFaultOf } from "../domain/storage-fault.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "./api.ts";
import type { GapTracker } from "./clock/gap-tracker.ts";
import { runBatch } from "./transaction.ts";

export interface Committer {
  /**
   * Runs the jobs in one transaction (see `runBatch`). `lostSince`: when the oldest report arrived that would be lost with
   * it; null: none would. Throws when nothing of it was kept.
   */
  all<Job, Result>(
    jobs: readonly Job[],
    apply: (job: Job) => Result,
    onThrow: (job: Job, error: unknown) => Result,
    lostSince: Instant | null,
  ): Result[];
  /** Runs one job at the present instant in a transaction of its own. Throws what it throws, or as above. */
  one<Result>(run: (now: Instant) => Result): Result;
  /** Writes what is new of gaps, and finds out whether storage works again. Throws as above. */
  tryOut(): void;
  /** Something that needs storage failed outside these transactions. */
  failed(error: unknown): void;
  /** The same, and a report was lost by it. */
  lost(error: unknown): void;
  /** The trouble with storage; null when there is none. */
  failing(): StorageTrouble | null;
}

interface CommitterParts {
  readonly store: Store;
  readonly gaps: GapTracker;
  readonly clock: Clock;
  readonly log: Log;
}

export function createCommitter({ store, gaps, clock, log }: CommitterParts): Committer {
  const { database } = store;
  let failing: StorageTrouble | null = null;

  function all<Job, Result>(
    jobs: readonly Job[],
    apply: (job: Job) => Result,
    onThrow: (job: Job, error: unknown) => Result,
    lostSince: Instant | null,
  ): Result[] {
    gaps.look();
    try {
      const results = runBatch(database, jobs, apply, onThrow, gaps.save);
      if (lostSince !== null) works();
      gaps.saved();
      return results;
    } catch (error) {
      if (lostSince !== null) gaps.lost(lostSince);
      failed(error);
      throw error;
    }
  }

  function one<Result>(run: (now: Instant) => Result): Result {
    const now = clock.now();
    type Done = { readonly result: Result } | { readonly error: unknown };
    const [done] = all<null, Done>(
      [null],
      () => ({ result: run(now) }),
      (_, error) => ({ error }),
      null,
    );
    if (done !== undefined && "result" in done) return done.result;
    throw done?.error;
  }

  /** Logged once until it works again: a batch may fail with every turn. */
  function failed(error: unknown): void {
    if (failing === null) log("error", "storage_failed", { error });
    const { since, seenAt } = failing ?? { since: clock.now(), seenAt: clock.monotonic() };
    failing = { fault: storageFaultOf(error) ?? "other", since, seenAt };
  }

  /** A report could be stored. Anything smaller proves nothing: a disk that is nearly full still takes something small. */
  function works(): void {
    gaps.stored();
    if (failing !== null) log("info", "storage_works");
    failing = null;
  }

  return {
    all,
    one,
    // Clients that send nothing while we are not ready would never let us find out that storage works again.
    tryOut: () => {
      if (failing === null) return one(() => {});
      one(() => store.pings.tryOut());
      works();
    },
    failed,
    lost: (error) => {
      gaps.lost(clock.now());
      failed(error);
    },
    failing: () => failing,
  };
}
