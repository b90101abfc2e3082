// What is declared for a monitor as jobs, registries and people say new things of it. Pure; what the configuration lays
// over it is policy.ts.

import { DECLARED_FIELDS, type Declared } from "./settings.ts";

export const NOTHING_DECLARED = Object.fromEntries(DECLARED_FIELDS.map((field) => [field, null])) as Declared;

/** What is declared once `said` counts: the very object it was when that says nothing new; null says nothing (R12, R42). */
export function declaredAnew(before: Declared, said: Declared): Declared {
  let after = before;
  for (const field of DECLARED_FIELDS) {
    const value = said[field];
    if (value !== null && value !== before[field]) after = { ...after, [field]: value };
  }
  return after;
}
