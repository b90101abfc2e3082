// Where a command writes: lines without their line ends, so that a command can be run without a process.

export interface Io {
  /** What was asked for. */
  out(line: string): void;
  /** What is said beside it: faults and refusals. */
  err(line: string): void;
}

/** Exit codes of every command. */
export const DONE = 0;
export const REFUSED = 1;
export const MISUSED = 2;
export const NOT_RUNNING = 3;
