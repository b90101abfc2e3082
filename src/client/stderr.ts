// A job's stderr: handed on, and its end kept for a failure, the last line as message and the last lines as output.

import { write } from "node:fs";
import { LOOKED_AT_BYTES, lastOutput } from "../domain/output/kept-output.ts";
import { createTail } from "../domain/output/lines.ts";
import { hideSecrets } from "../domain/output/secrets.ts";
import type { After } from "./client-moment.ts";
import type { RunOptions } from "./options.ts";

/** How much of the end is kept where only the last line is asked for. Bytes. */
const FOR_A_LINE = 4 * 1024;
/** Characters. */
const LONGEST = 500;

export type LastWords = ReturnType<typeof createLastWords>;

export function createLastWords(
  { messageFromStderr, outputFromStderr }: Pick<RunOptions, "messageFromStderr" | "outputFromStderr">,
  write: (piece: Uint8Array) => Promise<void>,
) {
  const end = createTail(outputFromStderr ? LOOKED_AT_BYTES : FOR_A_LINE);
  return {
    /** Keeps its end, and hands it on. Fails when its reader is gone. */
    passOn: (piece: Uint8Array): Promise<void> => {
      end.add(piece);
      return write(piece);
    },
    /** Without secrets known by their form. Null: it wrote nothing that can be read, or it is not asked for. */
    line: () => (messageFromStderr ? lastLineOf(end.bytes().subarray(-FOR_A_LINE)) : null),
    output: () => (outputFromStderr ? lastOutput(end, (line) => line) || null : null),
  };
}

function lastLineOf(bytes: Uint8Array): string | null {
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

/** Fails when its reader is gone. The runtime's own stream would keep the rest in memory and lose it at our end. */
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
