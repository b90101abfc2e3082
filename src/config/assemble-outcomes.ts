// Makes the expected outcomes of a monitor (R27), and finds those that no report can meet: more names than a report
// carries, or bounds without room between them.

import { type Expectation, type Expectations, OUTCOMES_MAX } from "../domain/monitor/outcomes.ts";
import { type ConfigDraft, complain } from "./draft.ts";
import type { Path } from "./fault.ts";
import type { Values } from "./keys.ts";
import { nodeAt } from "./tree.ts";

type OutcomeValues = Values["applications"][string]["monitors"][string]["outcomes"];

export function assembleOutcomes(draft: ConfigDraft, path: Path, values: OutcomeValues): Expectations {
  const entries = Object.entries(values);
  if (entries.length > OUTCOMES_MAX) {
    complain(draft, path, `names ${entries.length}`, `must name at most ${OUTCOMES_MAX}, a report carries no more`);
  }
  return new Map(entries.map(([key, value]) => [key, assembleExpectation(draft, [...path, key], value)]));
}

function assembleExpectation(draft: ConfigDraft, path: Path, values: OutcomeValues[string]): Expectation {
  const { equals = null, min = null, max = null, on_failure: onFailure } = values;
  if (asksNothing(draft, path)) {
    complain(draft, path, "expects nothing", "must have min, max or equals");
  }
  if (equals !== null && (min !== null || max !== null)) {
    complain(draft, [...path, "equals"], "stands beside min or max", "must stand alone");
  }
  if (min !== null && max !== null && min > max) {
    complain(draft, [...path, "min"], `${min} is more than max`, `must be at most ${max}`);
  }
  return { equals, min, max, onFailure };
}

/** A key that has a fault of its own would have set a bound. */
function asksNothing(draft: ConfigDraft, path: Path): boolean {
  const node = nodeAt(draft.tree, path);
  return node?.kind === "table" && [...node.entries.keys()].every((name) => name === "on_failure");
}
