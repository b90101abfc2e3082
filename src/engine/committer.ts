// The committer: runs every transaction that settles or reports something. It first looks at the clocks, so that the
// transaction knows our gaps (R26), and it knows whether storage works. Upkeep, keys and the notifier's outbox settle
// nothing and have their own transactions.

import type { Log } from "../domain/log.ts";
import type { StorageTrouble } from "../domain/message/storage-news.ts";
import { databaseGone, storageFaultOf } from "../domain/storage-fault.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { ActiveCounts } from "./active-counts.ts";
import type { Clock } from "./api.ts";
import type { GapTracker } from "./hearing/gap-tracker.ts";
import { runBatch, together } from "./transaction.ts";

export interface Committer {
  /**
   * Runs the jobs in one transaction (see `runBatch`). `lostSince`: the arrival of the oldest report that a failure
   * would lose; null: none. Throws when it kept nothing.
   */
  all<Job, Result>(
    jobs: readonly Job[],
    apply: (job: Job) => Result,
    onThrow: (job: Job, error: unknown) => Result,
    lostSince: Instant | null,
  ): Result[];
  /** Runs one job at the present instant in a transaction of its own. Throws what it throws, or as above. */
  one<Result>(run: (now: Instant) => Result): Result;
  /** To be called once a second: a file that is gone takes nothing more, and what is committed is lost with it. */
  look(): void;
  /** Writes news about gaps, and finds out whether storage works again. Throws as above. */
  tryOut(): void;
  /** Something outside these transactions failed to write. */
  failed(error: unknown): void;
  /** The same, and it lost a report. */
  lost(error: unknown): void;
  /** A report that arrived then was lost, though storage works. */
  unheard(since: Instant): void;
  /** The trouble with storage; null when there is none. */
  failing(): StorageTrouble | null;
  /** When something was last committed, on the monotonic clock; null: nothing was. */
  committedAt(): number | null;
}

interface CommitterParts {
  readonly store: Store;
  readonly gaps: GapTracker;
  readonly active: ActiveCounts;
  readonly clock: Clock;
  readonly log: Log;
}

export function createCommitter({ store, gaps, active, clock, log }: CommitterParts): Committer {
  const { database, states, runNames } = store;
  const memory = together(states.memory, runNames.memory, active.memory);
  const around = { first: gaps.save, last: keepUp, memory };
  let failing: StorageTrouble | null = null;
  let committedAt: number | null = null;

  function keepUp(): void {
    states.keepUp();
    runNames.keepUp();
  }

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

  /** Logged once until it works again: a batch may fail on every turn. */
  function failed(error: unknown): void {
    if (failing === null) log("error", "storage_failed", { error });
    const { since, seenAt } = failing ?? { since: clock.now(), seenAt: clock.monotonic() };
    failing = { fault: storageFaultOf(error) ?? "other", since, seenAt };
  }

  /** Storage took a report. Smaller writes prove nothing: a nearly full disk still takes some. */
  function works(): void {
    gaps.stored();
    if (failing !== null) log("info", "storage_works");
    failing = null;
  }

  return {
    all,
    one,
    look: () => {
      if (store.place.look() && failing === null) failed(databaseGone());
    },
    // If clients send nothing while we are not ready, only this finds out that storage works again.
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
    unheard: gaps.lost,
    failing: () => failing,
    committedAt: () => committedAt,
  };
}
