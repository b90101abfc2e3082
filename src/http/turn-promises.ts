// Turns of the process for async code: a promise that resolves when it is the caller's turn.

import type { TurnTaker } from "../domain/turns.ts";

/**
 * Resolves when it is this caller's turn, in the order of asking; the caller's next synchronous step is the last of
 * that turn.
 */
export type MyTurn = () => Promise<void>;

export const turnsOf =
  (turns: TurnTaker): MyTurn =>
  () =>
    new Promise((resolve) => turns.laterAlone(resolve));
