// Group commit: all requests that have arrived by the end of a turn of the event loop share one transaction, and each
// is answered only after it is on disk. It has the only promise below the edges; it does not know what a job is.

import { coalesced } from "../../domain/scheduler.ts";

export interface BatcherOptions<Job, Answer> {
  /**
   * Runs the jobs in one transaction and returns an answer for each, in order. Throws when the commit failed and kept
   * nothing.
   */
  commit(jobs: readonly Job[]): readonly Answer[];

  /** The answer to each of these jobs when their batch could not be committed: `STORAGE_UNAVAILABLE`. */
  failed(jobs: readonly Job[]): Answer;

  /**
   * Calls back at the end of this turn, as `setImmediate` does. A microtask would run after each request, so that two
   * never share a batch; a timer of a millisecond halves the rate.
   */
  schedule(run: () => void): void;

  /** How many jobs share a transaction at most; further ones wait for the next turn. */
  readonly limit: number;
}

export function createBatcher<Job, Answer>({ commit, failed, schedule, limit }: BatcherOptions<Job, Answer>) {
  // Jobs and their answers are two parallel arrays, so that a batch is passed on without a copy.
  const jobs: Job[] = [];
  const answering: ((answer: Answer) => void)[] = [];
  const commitSoon = coalesced(schedule, commitWaiting);

  /**
   * Adds a job to the batch that commits next. The promise settles after that commit; it never rejects, because
   * failures are answers.
   */
  function submit(job: Job): Promise<Answer> {
    // biome-ignore lint/plugin: the one promise below the edges hands each request its answer after the commit
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

  /** Commits what waits, now and synchronously: before a wheel transaction (R19) and at shutdown. */
  function flush(): void {
    for (let left = jobs.length; left > 0; left -= limit) commitNext();
  }

  function commitNext(): void {
    // A flush may have emptied the queue in this turn.
    if (jobs.length === 0) return;
    // The jobs are removed first, because a job submitted during the commit belongs to the next batch.
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
