// What went wrong on a day of a job, and how much was expected, in words that the calendar and the status pages share.

import type { PastDay } from "../../views/past-days.ts";

/** `2 failed`, `1 missed`: empty where nothing went wrong. */
export const troublesOf = ({ failed, missed, unknown }: PastDay): string[] => [
  ...(failed === 0 ? [] : [`${failed} failed`]),
  ...(missed === 0 ? [] : [`${missed} missed`]),
  ...(unknown === 0 ? [] : [`${unknown} unknown`]),
];

/**
 * `; 24 were expected`, behind what came. A job may report, and fail, when nothing was expected, so what failed is no part of
 * what was expected. Empty for an interval (R44): it has no fixed slots to count.
 */
export function dueOf(expected: PastDay["expected"]): string {
  if (expected === null) return "";
  return `; ${expected === 0 ? "nothing was" : expected === 1 ? "1 was" : `${expected} were`} expected`;
}
