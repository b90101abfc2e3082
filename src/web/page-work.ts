// Limits the work of pages, so that reports and other pages do not wait for it.

import type { Scheduler } from "../domain/scheduler.ts";
import { MINUTE } from "../domain/time.ts";
import { doInPieces } from "../http/yield.ts";
import type { Board } from "../views/board.ts";

// Lets a few calls run at once and a few more wait, and turns the rest away: hashing needs memory and a core for each.

/**
 * Calls `run` at once if a place is free, else when one becomes free; returns `null` when too many calls wait already.
 */
export type FewAtOnce = <Result>(run: () => Result | Promise<Result>) => Result | Promise<Result> | null;

/** Makes such a function. `turn` is awaited in addition by a call that had to wait, once it has its place. */
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
 * Calls `end` when the work has ended. Work that returns no promise gets none: its response is there before anything
 * else runs.
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

// Brings the board up to date before it is read, once for many readers. When no page has read it for long, it is
// forgotten.

/** After how many milliseconds without a read the board is forgotten; an open page reads it every ten seconds. */
const IDLE = 15 * MINUTE;

/**
 * Makes the function that brings a board up to date; one for each board. `stopping` is aborted when the server stops.
 * The function rejects with SQLite's errors.
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
