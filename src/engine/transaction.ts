// Runs the jobs of a batch in one SQLite transaction: they share one sync to disk, and none can harm another.

import type { Database } from "bun:sqlite";
import { isDamage, storageFaultOf } from "../domain/storage-fault.ts";
import type { TransactionMemory } from "../store/monitor-states.ts";
import type { Store } from "../store/store.ts";

/** Runs a job in a transaction of its own, and answers after the commit. Throws what it throws, keeping nothing. */
export function inTransaction<Result>({ database, states }: Store, run: () => Result): Result {
  return transact(database, [null], run, { ...NOTHING_AROUND, memory: states.memory })[0]!;
}

export interface Around {
  readonly first: () => void;
  /** Goes back with the database, where that goes back. */
  readonly memory: TransactionMemory;
}

const nothing = (): void => {};

const NOTHING_AROUND: Around = { first: nothing, memory: { begin: () => nothing, mark: () => nothing } };

export function allMemories(...memories: readonly TransactionMemory[]): TransactionMemory {
  const each = (begun: (memory: TransactionMemory) => () => void) => () => {
    const takeBacks = memories.map(begun);
    return () => {
      for (const takeBack of takeBacks) takeBack();
    };
  };
  const end = (): void => {
    for (const memory of memories) memory.end?.();
  };
  return { begin: each((memory) => memory.begin()), end, mark: each((memory) => memory.mark()) };
}

/** A batch is repeated so often because of damaged pages, then it fails. More than the smallest slice of settling. */
const REPEATS_MAX = 32;

/**
 * Applies the jobs in order inside one IMMEDIATE transaction and returns their results after the commit. A job that
 * throws leaves nothing behind: `onThrow` makes its result, and the others are kept. Throws when the transaction could
 * not begin, finish or commit: then nothing is kept and there are no results.
 *
 * `around` writes what comes before and after the jobs; it may be called again like them, and if it throws the whole
 * batch fails.
 *
 * `apply` may be called again for a job, after the first call's writes are undone. So take effects outside the database
 * from the results.
 */
export function runBatch<Job, Result>(
  database: Database,
  jobs: readonly Job[],
  apply: (job: Job) => Result,
  onThrow: (job: Job, error: unknown) => Result,
  around: Around = NOTHING_AROUND,
): Result[] {
  // Measured: a savepoint costs 0.6 µs a job (SQLite copies each page it first writes), 5 % of a batch of 64 pings. A
  // throw is a defect and rare, so a batch runs bare, and once more with savepoints when one of its jobs threw.
  let inSavepoints = false;
  /** Of the jobs that threw, by their places: they are not applied again. */
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
        // No savepoint brings such a transaction back: all is repeated without the job.
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
  // Outside the try: where a transaction is open already this fails, and must not roll that one back.
  database.run("BEGIN IMMEDIATE");
  const takeBack = memory.begin();
  try {
    first();
    const results = jobs.map((job, place) => {
      const result = apply(job, place);
      // If the job swallowed a failure that ended the transaction, the next job's writes would be kept one by one.
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

/** If the job throws, it has written nothing; but for the errors after which no savepoint helps. */
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
 * Whether a job's error concerns the whole batch. After most failures of the disk SQLite has rolled the transaction
 * back by itself; after some it undoes only the statement, but no other job would fare better.
 */
const endsBatch = (database: Database, error: unknown): boolean =>
  !database.inTransaction || storageFaultOf(error) !== null;
