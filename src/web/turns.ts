// Work in pieces, with a turn of the event loop between two of them, so that no report waits for a page. All pages take
// turns with each other: however many are under way, each turn makes one piece.

import { createTurnTaking } from "../http/in-pieces.ts";

/** Of all pages of this process. */
export const nextTurn = createTurnTaking();

/** Resolves to its result when the work is done; rejects with what it throws. */
export async function inTurns<Result>(work: Iterator<unknown, Result, void>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = work.next();
    if (step.done) return step.value;
  }
}
