// Reads the outcomes in the JSON body of a complete. It checks the values as they were sent: no library converts them
// first.

import Type from "typebox";
import { isRefusal, type Refusal, refuseField } from "../../domain/errors.ts";
import {
  NO_OUTCOMES,
  OUTCOME_KEY,
  OUTCOMES_MAX,
  type Outcomes,
  type OutcomeValue,
} from "../../domain/monitor/reported-outcomes.ts";
import { quote } from "../../domain/text.ts";
import { isJsonObject, readJsonObject } from "../body.ts";

export const COMPLETE_BODY = Type.Object({
  outcomes: Type.Optional(
    Type.Unsafe<Readonly<Record<string, OutcomeValue>>>({
      type: "object",
      description: "What the run has observed, for the checks that are configured.",
      maxProperties: OUTCOMES_MAX,
      propertyNames: { pattern: OUTCOME_KEY.source },
      additionalProperties: { type: ["number", "boolean"] },
    }),
  ),
});

/**
 * Returns the outcomes in the body of a complete, or 400 if the body is no JSON object or its `outcomes` are malformed.
 * Zero bytes count as no body (R9). If a name comes twice, its last value counts.
 */
export function readOutcomes(bytes: Uint8Array): Outcomes | Refusal {
  if (bytes.length === 0) return NO_OUTCOMES;
  const body = readJsonObject(bytes);
  if (isRefusal(body)) return body;
  const { outcomes } = body;
  if (outcomes === undefined) return NO_OUTCOMES;
  if (!isJsonObject(outcomes)) return refuseField("outcomes", "it is not a JSON object, which it must be");
  return readEntries(outcomes);
}

function readEntries(entries: Readonly<Record<string, unknown>>): Outcomes | Refusal {
  const keys = Object.keys(entries);
  const refused = (problem: string): Refusal => refuseField("outcomes", problem);
  if (keys.length > OUTCOMES_MAX)
    return refused(`${keys.length} entries are too many, at most ${OUTCOMES_MAX} are taken`);
  const outcomes = new Map<string, OutcomeValue>();
  for (const key of keys) {
    const value = entries[key];
    if (!OUTCOME_KEY.test(key)) return refused(`the key ${quote(key)} is not 1 to 64 characters of a-z, 0-9 and "_"`);
    if (!isOutcomeValue(value)) return refused(`the value of ${quote(key)} is neither a finite number nor a boolean`);
    outcomes.set(key, value);
  }
  return outcomes;
}

const isOutcomeValue = (value: unknown): value is OutcomeValue => typeof value === "boolean" || Number.isFinite(value);
