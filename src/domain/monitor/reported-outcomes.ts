// Compares the outcomes that a complete reports (numbers and truths) with what the configuration expects of them (R27).
// Outcomes are in a Map, because a name such as `__proto__` would do harm in an object. Pure.

/** The form of an outcome's name, as the contract fixes it for the body of a complete. */
export const OUTCOME_KEY = /^[a-z0-9_]{1,64}$/;
/** How many outcomes one report can carry. If more were expected, no report could ever be right. */
export const OUTCOMES_MAX = 5;

export type OutcomeValue = number | boolean;

export type Outcomes = ReadonlyMap<string, OutcomeValue>;

export const NO_OUTCOMES: Outcomes = new Map();

/** A value must equal `equals`, or be a number from `min` to `max`. A limit that is `null` does not apply. */
export type Expected = Readonly<{ equals: OutcomeValue | null; min: number | null; max: number | null }>;

export interface Expectation extends Expected {
  /** What a wrong or missing value leads to: `fail` opens an incident, `warn` only makes the status `warning`. */
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

/** The result of comparing the outcomes of one end. `message` names each wrong value and what was expected instead. */
export type Checks =
  | { readonly verdict: "passed" }
  | {
      readonly verdict: "warned" | "failed";
      readonly message: string;
      /** All expected outcomes, the right ones too, in the order of the configuration. */
      readonly outcomes: readonly CheckedOutcome[];
    };

export const CHECKS_PASSED: Checks = { verdict: "passed" };

/**
 * Compares the reported outcomes with the expected ones. A missing outcome counts as a wrong value. One wrong value
 * with `fail` makes the whole end a failure.
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

/**
 * Whether a value is as expected. Values are not converted: `true` is not equal to 1, and never lies between `min` and
 * `max`.
 */
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

/** The reported outcomes whose names the configuration expects; only these are stored. `null` when there are none. */
export function outcomesToKeep(expectations: Expectations, observed: Outcomes): Record<string, OutcomeValue> | null {
  // A shortcut, because nearly every report comes without outcomes.
  if (observed.size === 0) return null;
  const kept = [...observed].filter(([key]) => expectations.has(key));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
