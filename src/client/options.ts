// The options of `rollcall run`, and outcomes as people and jobs write them: `rows=1200`, `verified=true`.

export interface RunOptions {
  readonly monitor: string;
  readonly command: readonly string[];
  /** The parameters that declare the monitor, under the contract's names. */
  readonly declared: Readonly<Record<string, string>>;
  /** How many milliseconds the job may run; `null` when there is no limit. */
  readonly maxRuntime: number | null;
  /**
   * With `maxRuntime`: how many milliseconds after that limit the job is killed if it has not ended; `null` when it is
   * not asked to end.
   */
  readonly killAfter: number | null;
  readonly retries: number;
  /** The wait before the first retry in milliseconds; each further one is twice as long. */
  readonly backoff: number;
  /** Whether the job is skipped while the run before still goes on. */
  readonly lock: boolean;
  /** Exit codes that are reported as a success, and not retried; 0 always is one. */
  readonly successCodes: ReadonlySet<number>;
  readonly outcomes: Readonly<Record<string, number | boolean>>;
  readonly outcomesFile: string | null;
  /** Whether the last line on stderr is sent with a failure, and whether the last lines are (R46). */
  readonly messageFromStderr: boolean;
  readonly outputFromStderr: boolean;
}

/** Reads an outcome; `null` when the text is not `name=` and a number, `true` or `false`. */
export function readOutcome(text: string): readonly [name: string, value: number | boolean] | null {
  const [, name, value] = /^\s*([a-z0-9_]{1,64})\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  if (value === "true" || value === "false") return [name, value === "true"];
  const number = Number(value);
  return Number.isFinite(number) ? [name, number] : null;
}

/** Reads one outcome from each line; `faults` are all other lines, except empty ones and those that begin with #. */
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
