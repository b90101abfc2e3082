// Runs the jobs of a batch in one SQLite transaction, so that they share one write to disk. A job that fails does not
// harm the other jobs. A "job" here is one piece of work, such as storing one report.

import type { Database } from "bun:sqlite";
import { isDamage, storageFaultOf } from "../domain/storage-fault.ts";
import type { TransactionMemory } from "../store/memory/transaction-memory.ts";
import type { Store } from "../store/store.ts";

/**
 * Runs one job in its own transaction, and returns its result after the commit. If the job throws, nothing is stored
 * and the error is thrown on.
 */
export function inTransaction<Result>({ database, memory }: Store, run: () => Result): Result {
  return transact(database, [null], run, { ...NOTHING_AROUND, memory })[0]!;
}

export interface Around {
  readonly first: () => void;
  /**
   * The values in memory that mirror the database. They get their former content when the transaction or a savepoint is
   * rolled back.
   */
  readonly memory: TransactionMemory;
}

const nothing = (): void => {};

const NOTHING_AROUND: Around = { first: nothing, memory: { begin: () => nothing, mark: () => nothing } };

/**
 * How often a batch is repeated because of damaged pages before it fails. Each repetition leaves out one job. The
 * smallest batches in which monitors are judged have 25 jobs (`AT_ONCE.least` of engine/clock/clock-watch.ts). This
 * number is larger, so that a batch of 25 succeeds even if all of its monitors lie on damaged pages.
 */
const REPEATS_MAX = 32;

/**
 * Applies the jobs in order inside one IMMEDIATE transaction and returns their results after the commit. The writes of
 * a job that throws are undone; `onThrow` makes its result, and the other jobs are stored. Throws when the transaction
 * could not begin, finish or commit, or when `around.first`, which runs before the jobs, throws; then nothing was
 * stored. `around.first` and `apply` may be called again after their writes were undone, so they must have no effect
 * outside the database.
 */
export function runBatch<Job, Result>(
  database: Database,
  jobs: readonly Job[],
  apply: (job: Job) => Result,
  onThrow: (job: Job, error: unknown) => Result,
  around: Around = NOTHING_AROUND,
): Result[] {
  // A savepoint costs 0.6 µs for each job, because SQLite copies each page that it first writes: 5 % of a batch of 64
  // reports. Errors are rare, so a batch first runs without savepoints. If a job throws, the batch runs again with one
  // for each job.
  let inSavepoints = false;
  /** The results of the jobs that threw, by their places in the batch. These jobs are not applied again. */
  const failed = new Map<number, Result>();
  for (let repeats = 0; ; ) {
    let threwAt: number | null = null;
    function applyOne(job: Job, place: number): Result {
      if (failed.has(place)) return failed.get(place)!;
      try {
        return inSavepoints ? applyInSavepoint(database, job, apply, around.memory) : apply(job);
      } catch (error) {
        if (endsBatch(database, error)) throw error;
        if (inSavepoints && !isDamage(error)) return keep(place, error);
        threwAt = place;
        throw error;
      }
    }
    try {
      return transact(database, jobs, applyOne, around);
    } catch (error) {
      if (isDamage(error)) {
        // After a damaged page, rolling back to a savepoint does not help. So the batch is repeated without the job
        // that threw.
        if (++repeats > REPEATS_MAX) throw error;
        if (threwAt !== null) keep(threwAt, error);
      } else if (threwAt !== null && !inSavepoints) {
        inSavepoints = true;
      } else throw error;
    }
  }

  function keep(place: number, error: unknown): Result {
    const result = onThrow(jobs[place]!, error);
    failed.set(place, result);
    return result;
  }
}

function transact<Job, Result>(
  database: Database,
  jobs: readonly Job[],
  apply: (job: Job, place: number) => Result,
  { first, memory }: Around,
): Result[] {
  // `BEGIN` is outside the `try`. It fails when a transaction is already open, and that transaction must not be rolled
  // back here.
  database.run("BEGIN IMMEDIATE");
  const takeBack = memory.begin();
  try {
    first();
    const results = jobs.map((job, place) => {
      const result = apply(job, place);
      // SQLite may have ended the transaction at an error that the job caught. Each later write would then be committed
      // by itself.
      if (!database.inTransaction) throw new Error("the transaction ended in the middle of a batch");
      return result;
    });
    memory.end?.();
    database.run("COMMIT");
    return results;
  } catch (error) {
    takeBack();
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}

/**
 * Applies one job of the batch. If the job throws, its writes are undone and the error is thrown on. The writes stay
 * when the error ends the whole batch or comes from a damaged page, because the whole transaction is then rolled back.
 */
function applyInSavepoint<Job, Result>(
  database: Database,
  job: Job,
  apply: (job: Job) => Result,
  memory: TransactionMemory,
): Result {
  database.run("SAVEPOINT job");
  const takeBack = memory.mark();
  try {
    const result = apply(job);
    database.run("RELEASE job");
    return result;
  } catch (error) {
    if (!endsBatch(database, error) && !isDamage(error)) {
      takeBack();
      database.run("ROLLBACK TO job");
      database.run("RELEASE job");
    }
    throw error;
  }
}

/**
 * Whether a job's error ends the whole batch. After most disk errors SQLite has already rolled back the transaction.
 * After others only the statement was undone, but every other job would fail too.
 */
const endsBatch = (database: Database, error: unknown): boolean =>
  !database.inTransaction || storageFaultOf(error) !== null;
