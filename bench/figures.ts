// What a measurement came to: numbers of several rounds as one figure with its spread, and whether it is worse than a figure
// measured earlier. Knows nothing of what was measured.

/** Rounds of one measurement: the one in the middle, and the least and the greatest. */
export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** One line of the results. */
export interface Result {
  /** What was done, as it stands in the table. */
  readonly name: string;
  readonly unit: string;
  /** Whether more is better. */
  readonly better: "more" | "less";
  readonly figure: Figure;
  /** What it should reach; null: nothing was asked. */
  readonly wanted: number | null;
}

/** A table of results. `note` says how they were measured. */
export interface Chapter {
  readonly title: string;
  readonly note: string;
  readonly results: readonly Result[];
}

/** So much worse than before is a regression. */
const TOLERATED = 0.1;

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

export function figureOf(rounds: readonly number[]): Figure {
  const all = sorted(rounds);
  return { median: all[Math.floor(all.length / 2)]!, least: all[0]!, most: all.at(-1)! };
}

/** The value below which this share of the numbers lies. */
export const percentile = (numbers: readonly number[], share: number): number =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0;

/** Whether it is worse than an earlier figure by more than is tolerated, in its median and in its best round. */
export function isRegression(now: Result, earlier: Result): boolean {
  if (now.better === "more") return now.figure.most < earlier.figure.median * (1 - TOLERATED);
  return now.figure.least > earlier.figure.median * (1 + TOLERATED);
}

/** Whether it reaches what was wanted; true where nothing was. */
export function isReached({ wanted, better, figure }: Result): boolean {
  if (wanted === null) return true;
  return better === "more" ? figure.median >= wanted : figure.median <= wanted;
}

/** Three significant digits; whole numbers beyond. */
export const written = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
