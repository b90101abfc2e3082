// Runs the jobs of a batch in one SQLite transaction. They share one write to disk, and none can harm another.

import type { Database } from "bun:sqlite";
import { isDamage, storageFaultOf } from "../domain/storage-fault.ts";
import type { TransactionMemory } from "../store/memory/transaction-memory.ts";
import type { Store } from "../store/store.ts";

/**
 * Runs a job in its own transaction, and returns after the commit. Throws what the job throws, and then keeps nothing.
 */
export function inTransaction<Result>({ database, memory }: Store, run: () => Result): Result {
  return transact(database, [null], run, { ...NOTHING_AROUND, memory })[0]!;
}

export interface Around {
  readonly first: () => void;
  /** The memory is rolled back when the database is. */
  readonly memory: TransactionMemory;
}

const nothing = (): void => {};

const NOTHING_AROUND: Around = { first: nothing, memory: { begin: () => nothing, mark: () => nothing } };

/**
 * How often a batch is repeated because of damaged pages before it fails. The number must exceed the smallest batch of
 * settling.
 */
const REPEATS_MAX = 32;

/**
 * Applies the jobs in order inside one IMMEDIATE transaction and returns their results after the commit. A job that
 * throws leaves nothing behind: `onThrow` makes its result, and the others are kept. Throws when the transaction could
 * not begin, finish or commit; then nothing is kept and there are no results.
 *
 * `around` writes what comes before and after the jobs. Like the jobs it may be called again, and if it throws the
 * whole batch fails.
 *
 * `apply` may be called again for a job, after the first call's writes are undone. So effects outside the database must
 * be taken from the results.
 */
export function runBatch<Job, Result>(
  database: Database,
  jobs: readonly Job[],
  apply: (job: Job) => Result,
  onThrow: (job: Job, error: unknown) => Result,
  around: Around = NOTHING_AROUND,
): Result[] {
  // A savepoint costs 0.6 µs for each job (SQLite copies each page that it first writes), which is 5 % of a batch of 64
  // pings. Errors are rare, so a batch runs without savepoints, and once more with them when one of its jobs threw.
  let inSavepoints = false;
  /** The results of jobs that threw, by their places. These jobs are not applied again. */
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
        // No savepoint restores such a transaction, so the whole batch is repeated without the job.
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
  // This is outside the `try`: if a transaction is already open, it fails and must not roll that one back.
  database.run("BEGIN IMMEDIATE");
  const takeBack = memory.begin();
  try {
    first();
    const results = jobs.map((job, place) => {
      const result = apply(job, place);
      // A job may have swallowed an error that ended the transaction; the writes of later jobs would then be kept one
      // by one.
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
 * Applies a job in a savepoint. If it throws, its writes are undone, except after errors for which no savepoint helps.
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
 * Whether a job's error concerns the whole batch. After most disk errors SQLite has rolled the transaction back itself;
 * after some it undoes only the statement, but no other job would succeed either.
 */
const endsBatch = (database: Database, error: unknown): boolean =>
  !database.inTransaction || storageFaultOf(error) !== null;
