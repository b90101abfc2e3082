// What a job wrote to stderr last, for its failure: the last line as its message, and the last lines as its output.

import { endOf, LOOKED_AT_BYTES } from "../domain/output/kept-output.ts";
import { hideSecrets } from "../domain/output/secrets.ts";
import { createTail } from "../domain/output/tail.ts";

/** How much of the end is kept where only the last line is asked for. Bytes. */
const FOR_A_LINE = 4 * 1024;
/** Characters. */
const LONGEST = 500;

export interface LastWords {
  /** Keeps its end, and hands it on. Fails when nobody takes it. */
  passOn(piece: Uint8Array): Promise<void>;
  /**
   * Without the secrets that are known by their form: it goes to chats, and may wait on disk. Null: it wrote nothing
   * that can be read, or nobody asks for it.
   */
  line(): string | null;
  /** The same of its last lines. */
  output(): string | null;
}

/** What is asked for: the last line, the last lines. */
export interface AskedWords {
  readonly messageFromStderr: boolean;
  readonly outputFromStderr: boolean;
}

export function createLastWords(
  { messageFromStderr, outputFromStderr }: AskedWords,
  write: (piece: Uint8Array) => Promise<void>,
): LastWords {
  const end = createTail(outputFromStderr ? LOOKED_AT_BYTES : FOR_A_LINE);
  return {
    passOn: (piece) => {
      end.add(piece);
      return write(piece);
    },
    line: () => (messageFromStderr ? lastLineOf(end.bytes().subarray(-FOR_A_LINE)) : null),
    output: () => (outputFromStderr ? endOf(end, (line) => line) || null : null),
  };
}

function lastLineOf(bytes: Uint8Array): string | null {
  const lines = Bun.stripANSI(Buffer.from(bytes).toString("utf8")).split(/[\r\n]+/);
  const last = lines
    .map(readable)
    .filter((line) => line !== "")
    .at(-1);
  return last === undefined ? null : [...hideSecrets(last)].slice(0, LONGEST).join("");
}

const readable = (line: string): string => line.replaceAll(/\p{Cc}+|\uFFFD+/gu, " ").trim();
