// Where a command writes: lines without their line ends, so that a command can be run without a process.

import { formatText } from "./table.ts";

export interface Io {
  /** The answer. */
  out(line: string): void;
  /** Faults, refusals and remarks. */
  err(line: string): void;
  /** Columns of the terminal; null: it goes elsewhere, and nothing is broken into lines. */
  readonly width: number | null;
}

/** Says a sentence on stderr, broken between words where the terminal would break it anywhere. */
export function say(io: Io, text: string): void {
  for (const line of formatText(text, io.width)) io.err(line);
}

/** Exit codes of every command. */
export const DONE = 0;
export const REFUSED = 1;
export const MISUSED = 2;
export const NOT_RUNNING = 3;
