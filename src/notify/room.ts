// Gives a message the descriptors it needs to get out: a connection takes up to three, and clients may have taken all.

import type { Channel } from "./channel.ts";

export interface Room {
  /** Frees descriptors if there are too few. */
  makeRoom(): void;
  /** Whether there were too few a moment ago. */
  wasShort(): boolean;
}

/** While clients come as fast as they are turned away, a connection for a message may have to be tried more than once. */
const TRIES = 20;
/** Milliseconds between two of them. */
const PAUSE = 100;

/** The channel, for which room is made before each attempt, and which tries again if there was no room. */
export const inRoom = (
  channel: Channel,
  room: Room,
  after: (milliseconds: number, run: () => void) => unknown,
): Channel => ({
  ...channel,
  send: async (delivery, context) => {
    for (let tries = 1; ; tries++) {
      room.makeRoom();
      const verdict = await channel.send(delivery, context);
      if (verdict.verdict !== "retry" || tries === TRIES || !room.wasShort()) return verdict;
      await new Promise<void>((resume) => after(PAUSE, resume));
    }
  },
});
