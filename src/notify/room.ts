// Makes room for messages: a connection takes up to three descriptors, and clients may hold all of them.

import type { Verdict } from "./channel.ts";

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

/** Sends once there is room; again if there was none. */
export type InRoom = (send: () => Promise<Verdict>) => Promise<Verdict>;

export const inRoomOf =
  (room: DescriptorReserve, after: (milliseconds: number, run: () => void) => unknown): InRoom =>
  async (send) => {
    for (let tries = 1; ; tries++) {
      room.makeRoom();
      const verdict = await send();
      if (verdict.verdict !== "retry" || tries === TRIES || !room.wasShort()) return verdict;
      await new Promise<void>((resume) => after(PAUSE, resume));
    }
  };
