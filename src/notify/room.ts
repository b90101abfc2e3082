// Makes room for messages: a connection takes up to three descriptors, and clients may hold all of them.

import type { Channel } from "./channel.ts";

export interface DescriptorReserve {
  /** Frees descriptors if there are too few. */
  makeRoom(): void;
  /** Whether there were too few a moment ago. */
  wasShort(): boolean;
}

/** While new clients replace those turned away, a connection for a message may need more than one try. */
const TRIES = 20;
/** Milliseconds between two tries. */
const PAUSE = 100;

/** The channel, with room made before each attempt and another try if there was none. */
export const inRoom = (
  channel: Channel,
  room: DescriptorReserve,
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
