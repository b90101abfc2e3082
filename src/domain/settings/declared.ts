// Adds newly declared settings to those that jobs, registries and people declared before. Pure. The configuration's
// settings are applied afterwards, by policy.ts.

import { DECLARED_FIELDS, type Declared, RHYTHM_FIELDS } from "./settings.ts";

export const NOTHING_DECLARED = Object.fromEntries(DECLARED_FIELDS.map((field) => [field, null])) as Declared;

/**
 * Returns the declared settings after `said` was declared too. When nothing changes, the result is the object `before`
 * itself. A field of `said` that is `null` declares nothing (R12, R42). A new schedule removes the interval, and a new
 * interval the schedule (R44).
 */
export function declaredAfter(before: Declared, said: Declared): Declared {
  if (said === NOTHING_DECLARED) return before;
  let after = before;
  for (const field of DECLARED_FIELDS) {
    const value = said[field];
    if (value !== null && value !== before[field]) after = { ...after, [field]: value };
  }
  const both = RHYTHM_FIELDS.every((field) => after[field] !== null);
  if (both) for (const field of RHYTHM_FIELDS) if (said[field] === null) after = { ...after, [field]: null };
  return after;
}
