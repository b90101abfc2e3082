// Outcomes as people and jobs write them: `rows=1200`, `verified=true`. Which ones count the server decides.

/** Null: it is not `name=` and a number, `true` or `false`. */
export function readOutcome(text: string): readonly [name: string, value: number | boolean] | null {
  const [, name, value] = /^\s*([a-z0-9_]{1,64})\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  if (value === "true" || value === "false") return [name, value === "true"];
  const number = Number(value);
  return Number.isFinite(number) ? [name, number] : null;
}

/**
 * A file of them, one a line; `faults` are lines that are none. Empty lines and those that begin with # say nothing.
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
