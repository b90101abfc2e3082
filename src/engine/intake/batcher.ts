// Gathers all requests that arrive in one turn of the event loop. It commits them in one transaction, so that they
// share one write to disk. Each request is answered only after that commit. A "job" in this file is one request of a
// batch.

import { coalesced } from "../../domain/scheduler.ts";

export interface BatcherOptions<Job, Answer> {
  /**
   * Runs the jobs in one transaction and returns their answers, in the order of the jobs. Throws when the commit
   * failed; then nothing was stored.
   */
  commit(jobs: readonly Job[]): readonly Answer[];

  /** Returns the answer that each of these jobs gets when `commit` threw: `STORAGE_UNAVAILABLE`. */
  failed(jobs: readonly Job[]): Answer;

  /**
   * Calls `run` at the end of this turn of the event loop, as `setImmediate` does. A microtask would call it after each
   * request, so no two requests would share a batch. A timer of 1 ms would halve the reports per second.
   */
  schedule(run: () => void): void;

  /** How many jobs one transaction has at most. Jobs beyond this number wait for the next turn. */
  readonly limit: number;
}

export function createBatcher<Job, Answer>({ commit, failed, schedule, limit }: BatcherOptions<Job, Answer>) {
  // `answering[i]` hands `jobs[i]` its answer. These are two arrays, because `commit` takes jobs alone.
  const jobs: Job[] = [];
  const answering: ((answer: Answer) => void)[] = [];
  const commitSoon = coalesced(schedule, commitWaiting);

  /** Adds a job to the next batch. The promise resolves with the job's answer after the commit, and never rejects. */
  function submit(job: Job): Promise<Answer> {
    // biome-ignore lint/plugin: the one promise in the engine hands each request its answer after the commit
    return new Promise((answer) => {
      jobs.push(job);
      answering.push(answer);
      commitSoon();
    });
  }

  function commitWaiting(): void {
    commitNext();
    if (jobs.length > 0) commitSoon();
  }

  /** Commits all waiting jobs before it returns, for callers who must see every report that has arrived (R19). */
  function flush(): void {
    for (let left = jobs.length; left > 0; left -= limit) commitNext();
  }

  function commitNext(): void {
    // A call of `flush` in this turn may have emptied the queue.
    if (jobs.length === 0) return;
    // The jobs leave the queue first, because a job that comes during the commit belongs to the next batch.
    const batch = jobs.splice(0, limit);
    const answerAll = answering.splice(0, limit);
    const answers = answersTo(batch);
    answerAll.forEach((answer, index) => {
      answer(answers[index]!);
    });
  }

  function answersTo(batch: readonly Job[]): readonly Answer[] {
    try {
      return commit(batch);
    } catch {
      const answer = failed(batch);
      return batch.map(() => answer);
    }
  }

  return {
    submit,
    flush,
    get waiting() {
      return jobs.length;
    },
  };
}
