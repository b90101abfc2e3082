// The figures of a measurement: numbers of several rounds, the one that represents them, and whether they are worse
// than those of an earlier measurement. This file does not know what was measured.

export interface Result {
  /** The description of the measurement in the table. */
  readonly name: string;
  readonly unit: string;
  /** Whether a greater or a smaller number is better. */
  readonly better: "more" | "less";
  /** The number of each round; there is at least one. */
  readonly rounds: readonly number[];
  /** The number that it should reach; `null` when there is no such number. */
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
/**
 * Each round now is compared with each round then. If at least this share of the pairs is worse now, it was not chance.
 */
const CERTAIN = 0.95;

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** The value below which this share of the numbers lies; 0 when there are no numbers. */
export const percentile = (numbers: readonly number[], share: number): number =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0;

export const medianOf = (rounds: readonly number[]): number => percentile(rounds, 0.5);

/** The name of the figure for memory that lies in no file. Most other resident memory is the executable's file. */
export const OWN_MEMORY = "anonymous memory, which is in no file";

/** Makes a result for which a smaller number is better; the function below makes one for which a larger is better. */
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
 * Whether a result is worse than an earlier one by more than is tolerated, and not by chance: a result that varies from
 * round to round is worse only when nearly every round now is worse than nearly every round then.
 */
export function isRegression(now: Result, earlier: Result): boolean {
  const worse = (one: number, other: number): boolean => (now.better === "more" ? one < other : one > other);
  const bound = medianOf(earlier.rounds) * (now.better === "more" ? 1 - TOLERATED : 1 + TOLERATED);
  if (!worse(medianOf(now.rounds), bound)) return false;
  const pairs = now.rounds.flatMap((one) => earlier.rounds.map((other) => worse(one, other)));
  return pairs.filter(Boolean).length >= CERTAIN * pairs.length;
}

/** Joins two measurements of the same table: the rounds of both count. */
export const together = (one: Chapter, other: Chapter): Chapter => ({
  ...one,
  results: one.results.map((result) => ({
    ...result,
    rounds: [...result.rounds, ...(other.results.find(({ name }) => name === result.name)?.rounds ?? [])],
  })),
});

/** Says whether the result reaches the number that is wanted; true when no number is wanted. */
export function isReached({ wanted, better, rounds }: Result): boolean {
  if (wanted === null) return true;
  return better === "more" ? medianOf(rounds) >= wanted : medianOf(rounds) <= wanted;
}

/** Three significant digits; a number from 100 on is rounded to a whole one. */
export const written = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
