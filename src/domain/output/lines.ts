// Turns what a job wrote into readable lines, without colours, control characters and text that a terminal would have
// overwritten.

import { MISLEADING } from "../text.ts";

/** How many characters a line may have; a longer one is left out, because people do not read it. */
const LINE_LONGEST = 16 * 1024;

const LINE_END = /\r\n|[\n\v\f\u0085\u2028\u2029]/;

/** Matches a letter that the next letter overwrites, as in manual pages. */
const OVERSTRUCK = /[^\b][\b]/g;

const CONTROL = /(?!\t)\p{Cc}/gu;

const STRAY = /(?![\s\b])\p{Cc}|\uFFFD/gu;

const NO_TEXT = /\uFFFD+/g;

/** One in so many characters may be stray, and one in any case: a Latin-1 log has few, a packed file many. */
const STRAY_EACH = 10;

/** Whether people could read these bytes as UTF-8. UTF-16 does not count as text. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  const text = Bun.stripANSI(new TextDecoder().decode(bytes));
  return ((text.match(STRAY)?.length ?? 0) - 1) * STRAY_EACH <= text.length;
}

/** The lines of bytes that should be UTF-8. `isWhole` is true when nothing before them was cut off. */
export function linesIn(bytes: Uint8Array, isWhole: boolean): readonly string[] {
  const text = new TextDecoder().decode(bytes);
  return readableLines(isWhole ? text : behindFirstLine(text));
}

/** The lines of a text, without empty lines at its ends, and with one empty line where there were several. */
export function readableLines(text: string): readonly string[] {
  const lines = text.toWellFormed().split(LINE_END).map(readableLine);
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(Math.max(0, first), last + 1).filter((line, place, all) => line !== "" || all[place - 1] !== "");
}

/**
 * The text behind its first line. The rest of a line that was cut is dropped, because the cut beginning may have named
 * a secret.
 */
function behindFirstLine(text: string): string {
  const at = text.search(/[\r\n]/);
  return at < 0 ? "" : text.slice(at + 1);
}

/**
 * A line as a person reads it. After a carriage return only the last part counts, because progress bars write hundreds
 * of parts.
 */
const readableLine = (line: string): string => {
  const shown = line.split("\r").findLast((part) => part.trim() !== "") ?? "";
  if (shown.length > LINE_LONGEST) return `(a line of ${shown.length} characters is left out)`;
  // A control sequence that does not end removes the rest of its line and no more.
  return Bun.stripANSI(shown)
    .replace(OVERSTRUCK, "")
    .replace(CONTROL, "")
    .replace(MISLEADING, "")
    .replace(NO_TEXT, "\uFFFD")
    .trimEnd();
};

// Keeps the end of a stream of bytes, however long the stream is and however it is cut into pieces, in a fixed buffer.

export interface Tail {
  add(piece: Uint8Array): void;
  /** The last bytes, at most as many as the buffer is for. */
  bytes(): Uint8Array;
  isWhole(): boolean;
}

/** Makes such a buffer for `most` bytes. It has twice that size, so that each byte is moved once at most. */
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
