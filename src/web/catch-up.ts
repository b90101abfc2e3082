// Brings the board (the newest facts of all monitors, in memory) up to date before pages read it. Pages that ask at the
// same time share one update. The board is forgotten when no page has read it for long.

import type { Scheduler } from "../domain/scheduler.ts";
import { MINUTE } from "../domain/time.ts";
import { doInPieces } from "../http/yield.ts";
import type { Board } from "../views/board.ts";

/** After how many milliseconds without a reader the board is forgotten. An open page reads it every ten seconds. */
const IDLE = 15 * MINUTE;

/**
 * Makes the function that brings `board` up to date. `stopping` is aborted when the server stops. The function rejects
 * with SQLite's errors.
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
