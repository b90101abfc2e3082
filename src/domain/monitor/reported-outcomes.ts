// Checks the outcomes that a completion reports against the expected ones (R27). It uses a Map, in which `__proto__` is
// an ordinary name. Pure.

/** The contract's limits for a name, from "Complete: optional request body". */
export const OUTCOME_KEY = /^[a-z0-9_]{1,64}$/;
/** How many outcomes one report can carry; an expectation of more would always fail. */
export const OUTCOMES_MAX = 5;

export type OutcomeValue = number | boolean;

export type Outcomes = ReadonlyMap<string, OutcomeValue>;

export const NO_OUTCOMES: Outcomes = new Map();

/**
 * An expected value: equal to `equals`, or a number from `min` to `max`, both included. A `null` sets no such limit.
 */
export type Expected = Readonly<{ equals: OutcomeValue | null; min: number | null; max: number | null }>;

export interface Expectation extends Expected {
  /** Says what a wrong or missing value causes: an incident (`fail`), or only the status `warning`. */
  readonly onFailure: "warn" | "fail";
}

export type Expectations = ReadonlyMap<string, Expectation>;

export const NO_EXPECTATIONS: Expectations = new Map();

export interface CheckedOutcome {
  readonly key: string;
  readonly observed: OutcomeValue | null;
  readonly expected: Expected;
  readonly verdict: "passed" | "warned" | "failed";
}

/**
 * What a check of the outcomes of an end has found. `message` names the observed and the expected value of each failed
 * check.
 */
export type Checks =
  | { readonly verdict: "passed" }
  | {
      readonly verdict: "warned" | "failed";
      readonly message: string;
      /** Every expected outcome, also those that passed, in the order of the configuration. */
      readonly outcomes: readonly CheckedOutcome[];
    };

export const CHECKS_PASSED: Checks = { verdict: "passed" };

/**
 * Compares the outcomes with what is expected. An expected name that was not reported counts as a wrong value, and one
 * failed check fails the end.
 */
export function checkOutcomes(expectations: Expectations, observed: Outcomes): Checks {
  if (expectations.size === 0) return CHECKS_PASSED;
  const outcomes = [...expectations].map(([key, expectation]) => checked(key, expectation, observed.get(key) ?? null));
  const failed = outcomes.filter(({ verdict }) => verdict === "failed");
  const warned = outcomes.filter(({ verdict }) => verdict === "warned");
  if (failed.length + warned.length === 0) return CHECKS_PASSED;
  const message = [...failed, ...warned].map(checkInWords).join("; ");
  return { verdict: failed.length > 0 ? "failed" : "warned", message, outcomes };
}

function checked(key: string, { onFailure, ...expected }: Expectation, observed: OutcomeValue | null): CheckedOutcome {
  const unmet = onFailure === "fail" ? "failed" : "warned";
  return { key, observed, expected, verdict: meets(expected, observed) ? "passed" : unmet };
}

/** Whether a value is as expected. Values are not converted: `true` is not 1, and a boolean lies within no bounds. */
function meets({ equals, min, max }: Expected, observed: OutcomeValue | null): boolean {
  if (observed === null) return false;
  if (equals !== null) return observed === equals;
  return typeof observed === "number" && (min === null || observed >= min) && (max === null || observed <= max);
}

const checkInWords = (outcome: CheckedOutcome): string =>
  `${outcome.key} ${outcome.observed === null ? "is missing" : `was ${outcome.observed}`}, ${expectedInWords(outcome.expected)}`;

export function expectedInWords({ equals, min, max }: Expected): string {
  if (equals !== null) return `expected ${equals}`;
  if (min !== null && max !== null) return `expected ${min} to ${max}`;
  return min === null ? `expected at most ${max}` : `expected at least ${min}`;
}

/** The reported values that are expected (the contract's rule 1), by name; `null` when there are none. */
export function outcomesToKeep(expectations: Expectations, observed: Outcomes): Record<string, OutcomeValue> | null {
  // Nearly every report has no outcomes, and takes this short way.
  if (observed.size === 0) return null;
  const kept = [...observed].filter(([key]) => expectations.has(key));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
