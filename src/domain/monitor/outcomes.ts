// Checks what a completion reports against what is expected (R27), by a Map: there `__proto__` is a name. Pure.

/** The contract's bounds on a name, "Complete: optional request body". */
export const OUTCOME_KEY = /^[a-z0-9_]{1,64}$/;
/** How many outcomes fit into one report, so expecting more would always fail. */
export const OUTCOMES_MAX = 5;

export type OutcomeValue = number | boolean;

export type Outcomes = ReadonlyMap<string, OutcomeValue>;

export const NO_OUTCOMES: Outcomes = new Map();

/** The expected value: equal to this one, or a number within these bounds, both included. Null: no such bound. */
export type Expected = Readonly<{ equals: OutcomeValue | null; min: number | null; max: number | null }>;

export interface Expectation extends Expected {
  /** What a wrong or missing value causes: an incident, or only the status `warning`. */
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

/** The result of an end's outcome checks; `message` names the observed and the expected value of each failed one. */
export type Checks =
  | { readonly verdict: "passed" }
  | {
      readonly verdict: "warned" | "failed";
      readonly message: string;
      /** All expected outcomes, also those that passed, in the order of the configuration. */
      readonly outcomes: readonly CheckedOutcome[];
    };

export const CHECKS_PASSED: Checks = { verdict: "passed" };

/** An expected name that was not reported fails its check like a wrong value; one failed check fails the end. */
export function checkOutcomes(expectations: Expectations, observed: Outcomes): Checks {
  if (expectations.size === 0) return CHECKS_PASSED;
  const outcomes = [...expectations].map(([key, expectation]) => checked(key, expectation, observed.get(key) ?? null));
  const failed = outcomes.filter(({ verdict }) => verdict === "failed");
  const warned = outcomes.filter(({ verdict }) => verdict === "warned");
  if (failed.length + warned.length === 0) return CHECKS_PASSED;
  const message = [...failed, ...warned].map(outcomeResultInWords).join("; ");
  return { verdict: failed.length > 0 ? "failed" : "warned", message, outcomes };
}

function checked(key: string, { onFailure, ...expected }: Expectation, observed: OutcomeValue | null): CheckedOutcome {
  const unmet = onFailure === "fail" ? "failed" : "warned";
  return { key, observed, expected, verdict: meets(expected, observed) ? "passed" : unmet };
}

/** Nothing is converted: `true` is not 1, and no boolean lies within bounds. */
function meets({ equals, min, max }: Expected, observed: OutcomeValue | null): boolean {
  if (observed === null) return false;
  if (equals !== null) return observed === equals;
  return typeof observed === "number" && (min === null || observed >= min) && (max === null || observed <= max);
}

const outcomeResultInWords = (outcome: CheckedOutcome): string =>
  `${outcome.key} ${outcome.observed === null ? "is missing" : `was ${outcome.observed}`}, ${expectedInWords(outcome.expected)}`;

export function expectedInWords({ equals, min, max }: Expected): string {
  if (equals !== null) return `expected ${equals}`;
  if (min !== null && max !== null) return `expected ${min} to ${max}`;
  return min === null ? `expected at most ${max}` : `expected at least ${min}`;
}

/** The reported values that are expected (the contract's rule 1), by name; null when there are none. */
export function outcomesToKeep(expectations: Expectations, observed: Outcomes): Record<string, OutcomeValue> | null {
  // Nearly every report: it must not pay for those with values.
  if (observed.size === 0) return null;
  const kept = [...observed].filter(([key]) => expectations.has(key));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
