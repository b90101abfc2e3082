// Turns of the process, as the edges wait for them: a promise that settles when it is one's turn.

import type { TurnTaker } from "../domain/turns.ts";

/** Settles when it is this caller's turn, in the order of asking; what the caller does then is the last of the turn. */
export type MyTurn = () => Promise<void>;

export const turnsOf =
  (turns: TurnTaker): MyTurn =>
  () =>
    new Promise((resolve) => turns.laterAlone(resolve));
