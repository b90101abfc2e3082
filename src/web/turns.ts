// Work in pieces, with a turn of the event loop between two of them, so that no report waits for a page.

import { MINUTE } from "../domain/time.ts";
import type { TurnTaker } from "../domain/turns.ts";
import { turnsOf } from "../http/turn-promises.ts";
import type { Board } from "../views/board.ts";

/** Resolves to its result when the work is done; rejects with what it throws. */
export async function inTurns<Result>(turns: TurnTaker, work: Iterator<unknown, Result, void>): Promise<Result> {
  const nextTurn = turnsOf(turns);
  for (;;) {
    await nextTurn();
    const step = work.next();
    if (step.done) return step.value;
  }
}

// Lets a few run at once, a few more wait, and turns the rest away: hashing needs memory and a core for each.

/** Runs it when its turn comes, at once if a place is free; null: too many wait already. */
export type FewAtOnce = <Result>(run: () => Result | Promise<Result>) => Result | Promise<Result> | null;

/** `turn`: what one that has waited waits for besides, when it has its place. */
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
 * Calls `end` when the work has ended. Work without a promise gets none: its answer is there before anything else runs.
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

// Brings the board up to date before a look, only once for many. When no one has looked for long, it is let go.

/** Milliseconds without a look after which no one is there; an open page looks every ten seconds. */
const IDLE = 15 * MINUTE;

/** To be made once for a board. `stopping`: aborted when the server stops. Rejects with what SQLite throws. */
export function createCatchUp(
  turns: TurnTaker,
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
    underWay ??= inTurns(turns, board.catchUp()).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
