// Passes on what a job writes to stderr, and keeps the end of it. If the job fails, the last line is sent as the
// message and the last lines as output.

import { write } from "node:fs";
import { LOOKED_AT_BYTES, lastOutput } from "../domain/output/kept-output.ts";
import { createTail } from "../domain/output/lines.ts";
import { hideSecrets } from "../domain/output/secrets.ts";
import type { After } from "./client-moment.ts";
import type { RunOptions } from "./options.ts";

/** How many bytes of the end of stderr are kept when only its last line is wanted. */
const FOR_A_LINE = 4 * 1024;
/** How many characters of the last line are sent. */
const LONGEST = 500;

export type LastWords = ReturnType<typeof createLastWords>;

export function createLastWords(
  { messageFromStderr, outputFromStderr }: Pick<RunOptions, "messageFromStderr" | "outputFromStderr">,
  write: (piece: Uint8Array) => Promise<void>,
) {
  const end = createTail(outputFromStderr ? LOOKED_AT_BYTES : FOR_A_LINE);
  return {
    /**
     * Passes a piece of what the job writes on to our stderr, and keeps the end of it all. The promise rejects when our
     * stderr has no reader any more.
     */
    passOn: (piece: Uint8Array): Promise<void> => {
      end.add(piece);
      return write(piece);
    },
    /** The last line, with secrets of known forms hidden; `null` when there is no readable line, or none is wanted. */
    line: () => (messageFromStderr ? lastLineOfStderr(end.bytes().subarray(-FOR_A_LINE)) : null),
    output: () => (outputFromStderr ? lastOutput(end, (line) => line) || null : null),
  };
}

function lastLineOfStderr(bytes: Uint8Array): string | null {
  const lines = Bun.stripANSI(Buffer.from(bytes).toString("utf8")).split(/[\r\n]+/);
  const last = lines
    .map(readableLine)
    .filter((line) => line !== "")
    .at(-1);
  return last === undefined ? null : [...hideSecrets(last)].slice(0, LONGEST).join("");
}

const readableLine = (line: string): string => line.replaceAll(/\p{Cc}+|\uFFFD+/gu, " ").trim();

const STDERR = 2;
const FULL = 5;

/**
 * Makes a function that writes to stderr; its promise rejects when stderr has no reader any more. Bun's own stream is
 * not used: it would keep unwritten text in memory and lose it when this process ends.
 */
export const stderrWriter =
  (after: After) =>
  async (piece: Uint8Array): Promise<void> => {
    for (let at = 0; at < piece.length; ) {
      const written = await writeSome(piece.subarray(at));
      if (written === 0) await new Promise<void>((resolve) => after(FULL, resolve));
      at += written;
    }
  };

/**
 * Writes as much as stderr takes now. Returns how many bytes that was; 0 when the pipe is full. Where nothing can be
 * written, as on a full disk, all counts as written: a job that wrote there itself would most often go on, too.
 */
const writeSome = (piece: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(STDERR, piece, (error, written) => {
      if (error === null || error === undefined) resolve(written);
      else if (error.code === "EAGAIN") resolve(0);
      else if (error.code === "EPIPE") reject(error);
      else resolve(piece.length);
    });
  });
