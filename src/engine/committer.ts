// The committer: runs every transaction that settles or reports something. It first looks at the clocks, so that the
// transaction knows our gaps (R26), and it knows whether storage works. Upkeep, keys and the notifier's outbox settle
// nothing and have their own transactions.

import type { Log } from "../domain/log.ts";
import type { StorageTrouble } from "../domain/message/storage-news.ts";
import { databaseGone, storageFaultOf } from "../domain/storage-fault.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "./api.ts";
import type { ActiveCounts } from "./capacity.ts";
import type { GapTracker } from "./own-outages/gap-tracker.ts";
import { allMemories, runBatch } from "./transaction.ts";

type CommitterParts = Readonly<{ store: Store; gaps: GapTracker; active: ActiveCounts; clock: Clock; log: Log }>;

export type Committer = ReturnType<typeof createCommitter>;

export function createCommitter({ store, gaps, active, clock, log }: CommitterParts) {
  const { database, states, known, runs, runNames, answerNames } = store;
  const ofStore = [states.memory, known.memory, runs.memory, runNames.memory, answerNames.memory];
  const memory = allMemories(...ofStore, active.memory);
  const around = { first: gaps.save, memory };
  const storage = createStorageState(clock, log);
  let committedAt: number | null = null;

  /**
   * Runs the jobs in one transaction (see `runBatch`). `lostSince`: the arrival of the oldest report that a failure
   * would lose; null: none. Throws when it kept nothing.
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

  /** Runs one job at the present instant in a transaction of its own. Throws what it throws, or as above. */
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

  /** Storage took a report. Smaller writes prove nothing: a nearly full disk still takes some. */
  function works(): void {
    gaps.stored();
    storage.works();
  }

  return {
    all,
    one,
    /** To be called once a second: a file that is gone takes nothing more, and what is committed is lost with it. */
    look: () => {
      if (store.place.look() && storage.failing() === null) storage.failed(databaseGone());
    },
    /** Writes news about gaps: only this finds that storage works again while clients send nothing. Throws as above. */
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
    /** A report that arrived then was lost, though storage works. */
    unheard: gaps.lost,
    failing: storage.failing,
    /** When something was last committed, on the monotonic clock; null: nothing was. */
    committedAt: () => committedAt,
  };
}

function createStorageState(clock: Clock, log: Log) {
  let failing: StorageTrouble | null = null;
  return {
    failing: () => failing,
    /** Logged once until it works again: a batch may fail on every turn. */
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
