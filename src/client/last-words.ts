// The last line that a job wrote to stderr, for the message of its failure.

/** More of the end is not kept. Bytes. */
const KEPT = 4 * 1024;
/** Characters. */
const LONGEST = 500;

export interface LastWords {
  /** Hands it on, and keeps its end. */
  passOn(piece: Uint8Array): void;
  /** Null: it wrote nothing that can be read. */
  line(): string | null;
}

export function createLastWords(write: (piece: Uint8Array) => void): LastWords {
  let end: Uint8Array = new Uint8Array();
  return {
    passOn: (piece) => {
      write(piece);
      end = Buffer.concat([end, piece]).subarray(-KEPT);
    },
    line: () => {
      const lines = Bun.stripANSI(Buffer.from(end).toString("utf8")).split(/[\r\n]+/);
      const last = lines
        .map(readable)
        .filter((line) => line !== "")
        .at(-1);
      return last === undefined ? null : [...last].slice(0, LONGEST).join("");
    },
  };
}

const readable = (line: string): string => line.replaceAll(/\p{Cc}+|\uFFFD+/gu, " ").trim();
