// Brings the board up to date before a look at it: for many who look at once only once.

import type { Board } from "../../engine/reads/board.ts";
import { inTurns } from "../turns.ts";

/** Rejects with what SQLite throws. */
export function createCatchUp(board: Board): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  return () => {
    underWay ??= inTurns(board.catchUp()).finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
