// Which keys a monitor may have: one rule for reports, registries, people and the configuration (R5, R6). The callers
// have decoded the key already.

import { type Refusal, refuseField } from "./errors.ts";
import { MONITOR_KEY_LENGTH } from "./limits.ts";
import { checkLine } from "./text.ts";

/** Matches keys that mean the same in every shell, and that no program takes for markup or for an option. */
const PLAIN_KEY = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

export const isPlainMonitorKey = (key: string): boolean => PLAIN_KEY.test(key);

/**
 * Matches the recommended form of a key (R6). Other keys are accepted too, but the receipt of a heartbeat that creates
 * the monitor mentions the recommendation.
 */
const USUAL_KEY = /^[a-z0-9._-]+$/;

export const isUsualMonitorKey = (key: string): boolean => USUAL_KEY.test(key);

/**
 * Returns `null` when a monitor may have this key, otherwise a refusal (400) that names the field, the problem and the
 * rule (R1). It accepts exactly the keys that a report can name. A monitor with another key could only raise alarms.
 */
export function checkMonitorKey(field: string, key: string): Refusal | null {
  if (key !== "." && key !== "..") return checkLine(field, key, MONITOR_KEY_LENGTH);
  return refuseField(field, `"." and ".." mean a place in a path, no monitor may be called so`);
}
