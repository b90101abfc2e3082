// What a measurement came to: numbers of several rounds, which one stands for them, and whether they are worse than
// those of an earlier measurement. Knows nothing of what was measured.

/** One line of the results. */
export interface Result {
  /** What was done, as it stands in the table. */
  readonly name: string;
  readonly unit: string;
  /** Whether more is better. */
  readonly better: "more" | "less";
  /** The number of each round, at least one. */
  readonly rounds: readonly number[];
  /** What it should reach; null: nothing was asked. */
  readonly wanted: number | null;
}

/** A table of results. `note` says how they were measured. */
export interface Chapter {
  readonly title: string;
  readonly note: string;
  readonly results: readonly Result[];
}

/** A median that is worse than before by more than this share is a regression. */
const TOLERATED = 0.1;
/** Each round now is compared with each round then. If this share of the pairs is worse now, it was not chance. */
const CERTAIN = 0.95;

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** The value below which this share of the numbers lies; 0 of none. */
export const percentile = (numbers: readonly number[], share: number): number =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0;

/** What stands for all rounds. */
export const medianOf = (rounds: readonly number[]): number => percentile(rounds, 0.5);

/** Of which less is better: rounds of a kind are best made by these two. */
export const less = (name: string, unit: string, rounds: readonly number[], wanted: number | null = null): Result => ({
  name,
  unit,
  better: "less",
  rounds,
  wanted,
});

export const more = (name: string, unit: string, rounds: readonly number[], wanted: number | null = null): Result => ({
  name,
  unit,
  better: "more",
  rounds,
  wanted,
});

/**
 * Whether it is worse than an earlier figure by more than is tolerated, and not by chance: a figure that varies from
 * round to round is worse only where nearly every round now is worse than nearly every round then.
 */
export function isRegression(now: Result, earlier: Result): boolean {
  const worse = (one: number, other: number): boolean => (now.better === "more" ? one < other : one > other);
  const bound = medianOf(earlier.rounds) * (now.better === "more" ? 1 - TOLERATED : 1 + TOLERATED);
  if (!worse(medianOf(now.rounds), bound)) return false;
  const pairs = now.rounds.flatMap((one) => earlier.rounds.map((other) => worse(one, other)));
  return pairs.filter(Boolean).length >= CERTAIN * pairs.length;
}

/** The same chapter measured twice: the rounds of both. */
export const together = (one: Chapter, other: Chapter): Chapter => ({
  ...one,
  results: one.results.map((result) => ({
    ...result,
    rounds: [...result.rounds, ...(other.results.find(({ name }) => name === result.name)?.rounds ?? [])],
  })),
});

/** Whether it reaches what was wanted; true where nothing was. */
export function isReached({ wanted, better, rounds }: Result): boolean {
  if (wanted === null) return true;
  return better === "more" ? medianOf(rounds) >= wanted : medianOf(rounds) <= wanted;
}

/** Three significant digits; whole numbers beyond. */
export const written = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
