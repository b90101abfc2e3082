// The options of `rollcall run`, and reading outcomes as people and jobs write them, such as `rows=1200` and
// `verified=true`.

export interface RunOptions {
  readonly monitor: string;
  readonly command: readonly string[];
  /**
   * The parameters that declare the monitor's settings, such as `schedule`, under the names that the contract gives
   * them.
   */
  readonly declared: Readonly<Record<string, string>>;
  /** How many milliseconds the job may run; `null` when there is no limit. */
  readonly maxRuntime: number | null;
  /**
   * After `maxRuntime` the job is asked to end, and this many milliseconds later it is killed if it still runs. `null`
   * when the job is neither asked to end nor killed.
   */
  readonly killAfter: number | null;
  readonly retries: number;
  /** The wait before the first retry, in milliseconds. Before each further retry it is twice as long. */
  readonly backoff: number;
  /** Whether the job is skipped while its earlier run still goes on. */
  readonly lock: boolean;
  /** Exit codes that are reported as a success and not retried. 0 always is a success. */
  readonly successCodes: ReadonlySet<number>;
  readonly outcomes: Readonly<Record<string, number | boolean>>;
  readonly outcomesFile: string | null;
  /**
   * Whether the last line on stderr is sent with a failure as its message, and whether the last lines are sent as its
   * output (R46).
   */
  readonly messageFromStderr: boolean;
  readonly outputFromStderr: boolean;
}

/**
 * Reads an outcome such as `rows=1200`. Returns `null` when the value is no number and neither `true` nor `false`, or
 * the name is wrong.
 */
export function readOutcome(text: string): readonly [name: string, value: number | boolean] | null {
  const [, name, value] = /^\s*([a-z0-9_]{1,64})\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  if (value === "true" || value === "false") return [name, value === "true"];
  const number = Number(value);
  return Number.isFinite(number) ? [name, number] : null;
}

/**
 * Reads one outcome from each line. `faults` are the lines that are no outcome, without empty lines and those that
 * begin with #.
 */
export function readOutcomes(text: string): {
  readonly outcomes: Readonly<Record<string, number | boolean>>;
  readonly faults: readonly string[];
} {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const read = lines.map((line) => ({ line, outcome: readOutcome(line) }));
  return {
    outcomes: Object.fromEntries(read.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]))),
    faults: read.flatMap(({ line, outcome }) => (outcome === null ? [line] : [])),
  };
}
