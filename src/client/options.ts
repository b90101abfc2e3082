// The options of `rollcall run`, and reading outcomes such as `rows=1200` and `verified=true`.

export interface RunOptions {
  readonly monitor: string;
  readonly command: readonly string[];
  /** The parameters that declare the monitor's settings, such as `schedule`, named as in the contract. */
  readonly declared: Readonly<Record<string, string>>;
  /** How many milliseconds the job may run; `null` when there is no limit. */
  readonly maxRuntime: number | null;
  /**
   * How many milliseconds after `maxRuntime`, when the job is asked to end, it is killed if it still runs. `null` when
   * the job is neither asked to end nor killed.
   */
  readonly killAfter: number | null;
  readonly retries: number;
  /** The wait before the first retry, in milliseconds. It doubles before each further retry. */
  readonly backoff: number;
  /** Whether the job is skipped while its earlier run still goes on. */
  readonly lock: boolean;
  /** Exit codes besides 0 that are reported as a success and not retried. */
  readonly successCodes: ReadonlySet<number>;
  readonly outcomes: Readonly<Record<string, number | boolean>>;
  readonly outcomesFile: string | null;
  /**
   * Whether a failure is sent with the last line on stderr as its message, and with the last lines as its output (R46).
   */
  readonly messageFromStderr: boolean;
  readonly outputFromStderr: boolean;
}

/**
 * Reads an outcome such as `rows=1200`. Returns `null` when the value is neither a number nor `true` nor `false`, or
 * the name is wrong.
 */
export function readOutcomeOption(text: string): readonly [name: string, value: number | boolean] | null {
  const [, name, value] = /^\s*([a-z0-9_]{1,64})\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  if (value === "true" || value === "false") return [name, value === "true"];
  const number = Number(value);
  return Number.isFinite(number) ? [name, number] : null;
}

/** Reads one outcome from each line. `faults` are the other lines, without empty ones and those that begin with #. */
export function readOutcomeOptions(text: string): {
  readonly outcomes: Readonly<Record<string, number | boolean>>;
  readonly faults: readonly string[];
} {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const read = lines.map((line) => ({ line, outcome: readOutcomeOption(line) }));
  return {
    outcomes: Object.fromEntries(read.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]))),
    faults: read.flatMap(({ line, outcome }) => (outcome === null ? [line] : [])),
  };
}
