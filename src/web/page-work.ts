// Limits the work of pages, so that reports and other pages do not wait for it.

import type { Scheduler } from "../domain/scheduler.ts";
import { MINUTE } from "../domain/time.ts";
import { doInPieces } from "../http/yield.ts";
import type { Board } from "../views/board.ts";

// Lets a few calls run at once and a few more wait, and turns away all others. For example, each hash of a password
// needs memory and a core.

/**
 * Calls `run` at once if a place is free, otherwise when a place becomes free. Returns `null` when too many calls wait
 * already.
 */
export type FewAtOnce = <Result>(run: () => Result | Promise<Result>) => Result | Promise<Result> | null;

/**
 * Makes a `FewAtOnce`: `running` calls run at once and `waiting` more may wait. A call that had to wait also awaits
 * `turn` once a place is free.
 */
export function fewAtOnce(running: number, waiting: number, turn?: () => Promise<void>): FewAtOnce {
  let left = running;
  const queue: (() => void)[] = [];
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) left++;
    else next();
  };
  return (run) => {
    if (left === 0) {
      if (queue.length >= waiting) return null;
      return new Promise<void>((resolve) => queue.push(resolve)).then(turn).then(() => withEnd(run, leave));
    }
    left--;
    return withEnd(run, leave);
  };
}

/**
 * Does the work and calls `end` once it has ended, also when it has failed. Returns a promise only when `work` does;
 * otherwise the result is there before anything else runs.
 */
export function withEnd<Result>(work: () => Result | Promise<Result>, end: () => void): Result | Promise<Result> {
  let result: Result | Promise<Result>;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end);
  end();
  return result;
}

// Brings the board (the newest facts of all monitors, in memory) up to date before pages read it. Pages that ask at the
// same time share one update. The board is forgotten when no page has read it for long.

/** After how many milliseconds without a reader the board is forgotten. An open page reads it every ten seconds. */
const IDLE = 15 * MINUTE;

/**
 * Makes the function that brings `board` up to date. All pages share this function. `stopping` is aborted when the
 * server stops. The function rejects with SQLite's errors.
 */
export function createCatchUp(
  scheduler: Scheduler,
  board: Pick<Board, "catchUp" | "forget">,
  after: (milliseconds: number, run: () => void) => () => void,
  stopping: AbortSignal,
): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let callOff = (): void => {};
  stopping.addEventListener("abort", () => callOff());
  return () => {
    callOff();
    if (!stopping.aborted) callOff = after(IDLE, board.forget);
    underWay ??= doInPieces(scheduler, board.catchUp()).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
