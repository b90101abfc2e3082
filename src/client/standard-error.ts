// Writes to our stderr until it is written. The runtime's own stream answers at once and keeps the rest in memory,
// where an end of this process would lose it.

import { write } from "node:fs";
import type { After } from "./moment.ts";

const STDERR = 2;
/** How soon a pipe that is full and does not wait is tried again. Milliseconds. */
const FULL = 5;

/** Writes all of a piece. Fails when nobody reads it. */
export const stderrWriter =
  (after: After) =>
  async (piece: Uint8Array): Promise<void> => {
    for (let at = 0; at < piece.length; ) {
      const written = await writeSome(piece.subarray(at));
      if (written === 0) await new Promise<void>((resolve) => after(FULL, resolve));
      at += written;
    }
  };

/** How many bytes were taken; 0: there is no room now. */
const writeSome = (piece: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(STDERR, piece, (error, written) => {
      if (error === null || error === undefined) resolve(written);
      else if (error.code === "EAGAIN") resolve(0);
      else reject(error);
    });
  });
