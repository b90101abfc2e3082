// Where a command writes: lines without line ends, so that tests can run a command without a process.

import type { SecretInput } from "./secret-input.ts";

/** Where a table is shown. */
export interface Terminal {
  /** Columns; null: no terminal, so we break no lines. */
  readonly width: number | null;
  readonly color: boolean;
}

export interface Io extends Terminal {
  /** The answer. */
  out(line: string): void;
  /** Faults, refusals and warnings. */
  err(line: string): void;
  /** Read only by commands that need a password. */
  readonly secret: SecretInput;
}

/** Exit codes of every command. */
export const DONE = 0;
export const REFUSED = 1;
export const MISUSED = 2;
export const NOT_RUNNING = 3;
