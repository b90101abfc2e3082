// Runs the transactions in which monitors are judged or reports are stored. Before each it reads the clocks, so that
// the transaction knows every gap (R26). It also notices when storage fails and when it works again. Upkeep, keys and
// the outbox judge no monitor, so they have their own transactions.

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
   * Runs the jobs in one transaction (see `runBatch`) and returns their results. `lostSince` is when the oldest report
   * among the jobs arrived: if the commit fails, a gap begins then. It is `null` when no job is a report. Throws when
   * the commit failed; then nothing was stored.
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

  /** Runs one job in its own transaction, with the present time. Throws what the job throws, or an error of storage. */
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

  /**
   * Notes that a report could be stored, so storage works. A write that is smaller than a report would not show that,
   * because a nearly full disk still takes small ones.
   */
  function works(): void {
    gaps.stored();
    storage.works();
  }

  return {
    all,
    one,
    /**
     * Looks whether the database file was removed. That counts as failing storage, because what is committed to a
     * removed file is lost. Must be called once a second.
     */
    look: () => {
      if (store.place.look() && storage.failing() === null) storage.failed(databaseGone());
    },
    /**
     * Writes what is new about gaps. While storage fails, it also tries whether a report could be stored. Without this
     * trial, rollcall would not notice that storage works again while no client sends a report. Throws like `one`.
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
    /** Notes that a report which arrived at this instant could not be stored, although other reports could. */
    unheard: gaps.lost,
    failing: storage.failing,
    /** When the last transaction was committed, by the monotonic clock; `null` before the first. */
    committedAt: () => committedAt,
  };
}

function createStorageState(clock: Clock, log: Log) {
  let failing: StorageTrouble | null = null;
  return {
    failing: () => failing,
    /**
     * Notes that storage failed. Only the first failure is logged until storage works again, because every batch may
     * fail.
     */
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
