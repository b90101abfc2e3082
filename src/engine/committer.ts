// The committer runs every transaction that settles or reports something. It first reads the clocks, so that the
// transaction knows all gaps (R26), and it knows whether storage works. Upkeep, keys and the notifier's outbox settle
// nothing and have their own transactions.

import type { Log } from "../domain/log.ts";
import type { StorageTrouble } from "../domain/message/storage-news.ts";
import { databaseGone, storageFaultOf } from "../domain/storage-fault.ts";
import type { Instant } from "../domain/time.ts";
import { allMemories } from "../store/memory/transaction-memory.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "./api.ts";
import type { ActiveCounts } from "./capacity.ts";
import type { GapTracker } from "./own-outages/gap-tracker.ts";
import { runBatch } from "./transaction.ts";

type CommitterParts = Readonly<{ store: Store; gaps: GapTracker; active: ActiveCounts; clock: Clock; log: Log }>;

export type Committer = ReturnType<typeof createCommitter>;

export function createCommitter({ store, gaps, active, clock, log }: CommitterParts) {
  const { database } = store;
  const around = { first: gaps.save, memory: allMemories(store.memory, active.memory) };
  const storage = createStorageState(clock, log);
  let committedAt: number | null = null;

  /**
   * Runs the jobs in one transaction (see `runBatch`). `lostSince` is the arrival of the oldest report that a failure
   * would lose, or `null` when no report is among them. Throws when nothing was kept.
   */
  function all<Job, Result>(
    jobs: readonly Job[],
    apply: (job: Job) => Result,
    onThrow: (job: Job, error: unknown) => Result,
    lostSince: Instant | null,
  ): Result[] {
    gaps.look();
    try {
      if (store.place.isGone()) throw databaseGone();
      const results = runBatch(database, jobs, apply, onThrow, around);
      committedAt = clock.monotonic();
      if (lostSince !== null) works();
      gaps.saved();
      return results;
    } catch (error) {
      if (lostSince !== null) gaps.lost(lostSince);
      storage.failed(error);
      throw error;
    }
  }

  /** Runs one job at the present instant in its own transaction. Throws the job's error, or one about storage. */
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

  /** Notes that storage took a report. Smaller writes prove nothing, because a nearly full disk still takes some. */
  function works(): void {
    gaps.stored();
    storage.works();
  }

  return {
    all,
    one,
    /**
     * Notices when the database file was removed, because what is committed to it is then lost. Must be called once a
     * second.
     */
    look: () => {
      if (store.place.look() && storage.failing() === null) storage.failed(databaseGone());
    },
    /**
     * Writes news about gaps. While clients send nothing, only this shows that storage works again. Throws like `one`.
     */
    tryOut: () => {
      if (storage.failing() === null) return one(() => {});
      one(() => store.pings.tryOut());
      works();
    },
    failed: storage.failed,
    lost: (error: unknown) => {
      gaps.lost(clock.now());
      storage.failed(error);
    },
    /** Notes that a report was lost at this instant, although storage works. */
    unheard: gaps.lost,
    failing: storage.failing,
    /** When something was last committed, by the monotonic clock; `null` before the first commit. */
    committedAt: () => committedAt,
  };
}

function createStorageState(clock: Clock, log: Log) {
  let failing: StorageTrouble | null = null;
  return {
    failing: () => failing,
    /** Logs the failure only once until storage works again, because a batch may fail on every turn. */
    failed: (error: unknown): void => {
      if (failing === null) log("error", "storage_failed", { error });
      const { since, seenAt } = failing ?? { since: clock.now(), seenAt: clock.monotonic() };
      failing = { fault: storageFaultOf(error) ?? "other", since, seenAt };
    },
    works: (): void => {
      if (failing !== null) log("info", "storage_works");
      failing = null;
    },
  };
}
