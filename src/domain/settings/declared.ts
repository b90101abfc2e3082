// What is declared for a monitor as jobs, registries and people say new things of it. Pure; what the configuration lays
// over it is policy.ts.

import type { Declared } from "./policy.ts";

export const NOTHING_DECLARED: Declared = {
  name: null,
  schedule: null,
  timezone: null,
  graceSeconds: null,
  maxRuntimeSeconds: null,
};

/** What is declared once `said` counts: the very object it was when that says nothing new; null says nothing (R12, R42). */
export function declaredAnew(before: Declared, said: Declared): Declared {
  const after: Declared = {
    name: said.name ?? before.name,
    schedule: said.schedule ?? before.schedule,
    timezone: said.timezone ?? before.timezone,
    graceSeconds: said.graceSeconds ?? before.graceSeconds,
    maxRuntimeSeconds: said.maxRuntimeSeconds ?? before.maxRuntimeSeconds,
  };
  return sameDeclared(before, after) ? before : after;
}

const sameDeclared = (one: Declared, other: Declared): boolean =>
  one.schedule === other.schedule &&
  one.name === other.name &&
  one.timezone === other.timezone &&
  one.graceSeconds === other.graceSeconds &&
  one.maxRuntimeSeconds === other.maxRuntimeSeconds;
