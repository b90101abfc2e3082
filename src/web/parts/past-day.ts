// What went wrong on a day of a job, and how much was expected, in words that the calendar and the status pages share.

import { inWords } from "../../views/outcomes.ts";
import type { PastDay } from "../../views/past-days.ts";

/** `2 failed`, `1 missed`: empty where nothing went wrong. */
export const troublesOf = (day: PastDay): string[] =>
  (["failed", "missed", "unknown"] as const).flatMap((field) =>
    day[field] === 0 ? [] : inWords([[field, day[field]]]),
  );

/**
 * `; 24 were expected`, behind what came. A job may report, and fail, when nothing was expected, so what failed is no
 * part of what was expected. Empty for an interval (R44): it has no fixed slots to count.
 */
export function dueOf(expected: PastDay["expected"]): string {
  if (expected === null) return "";
  return `; ${expected === 0 ? "nothing was" : expected === 1 ? "1 was" : `${expected} were`} expected`;
}
