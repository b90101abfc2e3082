// Which keys a monitor may have: one rule for reports, registries, people and the configuration (R5, R6). The callers
// get the key out of a path or a file.

import { type Refusal, refuseField } from "../errors.ts";
import { MONITOR_KEY_LENGTH } from "../limits.ts";
import { checkLine } from "../text.ts";

/** Keys that mean the same in every shell and that no program takes for markup. */
const PLAIN_KEY = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

export const isPlainKey = (key: string): boolean => PLAIN_KEY.test(key);

/** The guideline (R6). Other keys are accepted; the answer that creates the monitor says so. */
const USUAL_KEY = /^[a-z0-9._-]+$/;

export const isUsualKey = (key: string): boolean => USUAL_KEY.test(key);

/**
 * Null when a monitor may have this key; else 400 with a sentence that names the field, the problem and the rule (R1).
 * Accepts every key that a report can name, and no other: a monitor that no report can reach would only alarm.
 */
export function checkMonitorKey(field: string, key: string): Refusal | null {
  if (key !== "." && key !== "..") return checkLine(field, key, MONITOR_KEY_LENGTH);
  return refuseField(field, `"." and ".." mean a place in a path, no monitor may be called so`);
}
