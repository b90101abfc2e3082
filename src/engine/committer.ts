// The committer: the one way to a transaction. It looks at the clocks before anything is settled, so that a gap of ours is
// known to whatever the transaction decides (R26), and knows whether storage takes what is written.

import type { Log } from "../domain/log.ts";
import { type StorageFault, storageFaultOf } from "../domain/storage-fault.ts";
import type { Instant } from "../domain/time.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "./api.ts";
import type { Vigil } from "./clock/vigil.ts";
import { runBatch } from "./transaction.ts";

export interface StorageTrouble {
  readonly fault: StorageFault;
  readonly since: Instant;
  /** The same on the monotonic clock. */
  readonly seenAt: number;
}

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
  /** Writes what the vigil has to say, and finds out whether storage works again. Throws as above. */
  keepVigil(): void;
  /** Something that needs storage went wrong outside these transactions. */
  failed(error: unknown): void;
  /** The same, and a report was lost by it. */
  lost(error: unknown): void;
  /** What is wrong with storage; null when nothing is. */
  failing(): StorageTrouble | null;
}

interface CommitterParts {
  readonly store: Store;
  readonly vigil: Vigil;
  readonly clock: Clock;
  readonly log: Log;
}

export function createCommitter({ store, vigil, clock, log }: CommitterParts): Committer {
  const { database } = store;
  let failing: StorageTrouble | null = null;

  function all<Job, Result>(
    jobs: readonly Job[],
    apply: (job: Job) => Result,
    onThrow: (job: Job, error: unknown) => Result,
    lostSince: Instant | null,
  ): Result[] {
    vigil.look();
    try {
      const results = runBatch(database, jobs, apply, onThrow, vigil.save);
      if (lostSince !== null) works();
      vigil.saved();
      return results;
    } catch (error) {
      if (lostSince !== null) vigil.lost(lostSince);
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

  /** A report could be stored. Less than that proves nothing: a disk that is nearly full still takes something small. */
  function works(): void {
    vigil.kept();
    if (failing !== null) log("info", "storage_works");
    failing = null;
  }

  return {
    all,
    one,
    // Whoever sends nothing while we are not ready would never let us find out that storage works again.
    keepVigil: () => {
      if (failing === null) return one(() => {});
      one(() => store.pings.tryOut());
      works();
    },
    failed,
    lost: (error) => {
      vigil.lost(clock.now());
      failed(error);
    },
    failing: () => failing,
  };
}
