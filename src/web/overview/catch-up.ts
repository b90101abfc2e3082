// Brings the board up to date before a look at it: for many who look at once only once. When nobody has looked for
// long, its memory goes.

import { MINUTE } from "../../domain/time.ts";
import type { Board } from "../../views/board.ts";
import { inTurns } from "../turns.ts";

/** Milliseconds without a look after which nobody is there; an open page looks every ten seconds. */
const IDLE = 15 * MINUTE;

interface CatchUpParts {
  readonly board: Pick<Board, "catchUp" | "forget">;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** To be made once for a board. Rejects with what SQLite throws. */
export function createCatchUp({ board, after, stopping }: CatchUpParts): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let callOff = (): void => {};
  stopping.addEventListener("abort", () => callOff());
  return () => {
    callOff();
    if (!stopping.aborted) callOff = after(IDLE, board.forget);
    underWay ??= inTurns(board.catchUp()).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
