// Where a command writes: lines without line ends, so that tests can run a command without a process.

import { formatText, type Terminal } from "./screens/table.ts";
import type { SecretInput } from "./secret-input.ts";

export interface Io extends Terminal {
  /** The answer. */
  out(line: string): void;
  /** Faults, refusals and warnings. */
  err(line: string): void;
  /** Read only by commands that need a password. */
  readonly secret: SecretInput;
}

/** Says a sentence on stderr, broken between words; the terminal would break it anywhere. */
export function say(io: Io, text: string): void {
  for (const line of formatText(text, io.width)) io.err(line);
}

/** Exit codes of every command. */
export const DONE = 0;
export const REFUSED = 1;
export const MISUSED = 2;
export const NOT_RUNNING = 3;
