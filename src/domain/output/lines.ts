// Turns what a job wrote into lines as a terminal would show them. Also keeps the last bytes of a long stream.

import { MISLEADING } from "../text.ts";

/** The longest line, in characters. A longer one is replaced by a note of its length: no person would read it. */
const LINE_LONGEST = 16 * 1024;

const LINE_END = /\r\n|[\n\v\f\u0085\u2028\u2029]/;

/** Matches a character and the backspace that lets the next one overwrite it. Manual pages write bold text so. */
const OVERSTRUCK = /[^\b][\b]/g;

const CONTROL = /(?!\t)\p{Cc}/gu;

const STRAY = /(?![\s\b])\p{Cc}|\uFFFD/gu;

const NO_TEXT = /\uFFFD+/g;

/**
 * Bytes count as text if they have at most one stray character, and one more for each of this many characters. Stray is
 * a control character, or what is not UTF-8. A log in Latin-1 has few, a compressed file many.
 */
const CHARACTERS_PER_STRAY = 10;

/** Whether these bytes are UTF-8 text that people could read. UTF-16 does not count. */
export function isTextOutput(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  const text = Bun.stripANSI(new TextDecoder().decode(bytes));
  return ((text.match(STRAY)?.length ?? 0) - 1) * CHARACTERS_PER_STRAY <= text.length;
}

/** The readable lines of bytes that should be UTF-8. `isWhole` is false when earlier bytes were cut off. */
export function linesIn(bytes: Uint8Array, isWhole: boolean): readonly string[] {
  const text = new TextDecoder().decode(bytes);
  return readableLines(isWhole ? text : behindFirstLine(text));
}

/** The readable lines of a text. Empty lines at both ends are dropped, and several in a row become one. */
export function readableLines(text: string): readonly string[] {
  const lines = text.toWellFormed().split(LINE_END).map(readableLine);
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(Math.max(0, first), last + 1).filter((line, place, all) => line !== "" || all[place - 1] !== "");
}

/** Drops the first line, which was cut in two: what was cut off may have said that a secret follows. */
function behindFirstLine(text: string): string {
  const at = text.search(/[\r\n]/);
  return at < 0 ? "" : text.slice(at + 1);
}

/**
 * A line as a person sees it. A progress bar writes its states over each other, with carriage returns between them.
 * Only the last state is kept.
 */
const readableLine = (line: string): string => {
  const shown = line.split("\r").findLast((part) => part.trim() !== "") ?? "";
  if (shown.length > LINE_LONGEST) return `(a line of ${shown.length} characters is left out)`;
  // A control sequence that never ends removes the text up to the end of this line, and no more.
  return Bun.stripANSI(shown)
    .replace(OVERSTRUCK, "")
    .replace(CONTROL, "")
    .replace(MISLEADING, "")
    .replace(NO_TEXT, "\uFFFD")
    .trimEnd();
};

export interface Tail {
  add(piece: Uint8Array): void;
  bytes(): Uint8Array;
  isWhole(): boolean;
}

/** Keeps the last `most` bytes of a stream. The buffer has room for twice as many, so that bytes are moved seldom. */
export function createTail(most: number): Tail {
  const room = new Uint8Array(2 * most);
  let end = 0;
  let length = 0;
  return {
    add: (piece) => {
      length += piece.length;
      const last = piece.subarray(Math.max(0, piece.length - most));
      if (end + last.length > room.length) {
        room.copyWithin(0, end - most, end);
        end = most;
      }
      room.set(last, end);
      end += last.length;
    },
    bytes: () => room.slice(Math.max(0, end - most), end),
    isWhole: () => length <= most,
  };
}
