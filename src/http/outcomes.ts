// The body of a complete: whether its outcomes have the form the contract asks for. What they mean is no business of
// this file, and no library gets to reshape them before they are checked.

import { type Refusal, refuse } from "../domain/errors.ts";
import { quote } from "../domain/schedule-field.ts";

const OUTCOMES_MAX = 5;

const KEY = /^[a-z0-9_]{1,64}$/;

/** Whether this is the media type of a body that is read (R9); parameters such as a charset do not matter. */
export const isJson = (contentType: string | null): boolean =>
  contentType !== null && /^\s*application\/json\s*(?:;|$)/i.test(contentType);

/** 400 for a body that is no JSON object or whose `outcomes` are malformed; null for a good one. No bytes are no body. */
export function checkOutcomes(bytes: Uint8Array): Refusal | null {
  if (bytes.length === 0) return null;
  const body = parse(bytes);
  if (body === undefined) return refuse("INVALID_REQUEST", "body: it is not JSON, a JSON object in UTF-8 is needed");
  if (!isObject(body)) return refuse("INVALID_REQUEST", "body: it is not a JSON object, which it must be");
  const { outcomes } = body;
  if (outcomes === undefined) return null;
  if (!isObject(outcomes)) return refuse("INVALID_REQUEST", "outcomes: it is not a JSON object, which it must be");
  return checkEntries(Object.entries(outcomes));
}

function checkEntries(entries: readonly [string, unknown][]): Refusal | null {
  if (entries.length > OUTCOMES_MAX) {
    return refuse(
      "INVALID_REQUEST",
      `outcomes: ${entries.length} entries are too many, at most ${OUTCOMES_MAX} are taken`,
    );
  }
  for (const [key, value] of entries) {
    if (!KEY.test(key)) {
      return refuse("INVALID_REQUEST", `outcomes: the key ${quote(key)} is not 1 to 64 characters of a-z, 0-9 and "_"`);
    }
    if (typeof value !== "boolean" && !Number.isFinite(value)) {
      return refuse("INVALID_REQUEST", `outcomes: the value of ${quote(key)} is neither a finite number nor a boolean`);
    }
  }
  return null;
}

/** Any JSON value; undefined, which JSON has not, for everything else. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
