// Says how long a job's runs take, and how much longer than before.

import { medianOf, type Slower } from "../monitor/run-lengths.ts";
import { SECOND } from "../time.ts";
import { aboutSpan, span } from "./short-time.ts";

const timesOf = ({ times }: Slower): string => String(times < 3 ? Math.round(times * 10) / 10 : Math.round(times));

const weeksOf = ({ weeks }: Slower): string => (weeks === 1 ? "a week" : `${weeks} weeks`);

/** Says how much longer runs take than before, as lists show it: `↗ 5× in 3 weeks`. */
export const slowerInShort = (slower: Slower): string => `↗ ${timesOf(slower)}× in ${weeksOf(slower)}`;

/** Says how much longer runs take than before: `5 times as long as 3 weeks ago`. */
export const slowerInWords = (slower: Slower): string => `${timesOf(slower)} times as long as ${weeksOf(slower)} ago`;

/**
 * Says how many of the job's last values are above a limit, and names the largest. `of` has these values in
 * milliseconds, such as delays of reports; `seconds` is the limit. For example `2 of its last 30 reports came later
 * than 5 min; the most was 6 min.` Returns `null` without values.
 */
export const overInWords = (what: string, of: readonly number[], seconds: number): string | null =>
  of.length === 0
    ? null
    : `${of.filter((one) => one > seconds * SECOND).length || "None"} of its last ${of.length} ${what} than ${span(seconds * SECOND)}; the most was ${span(Math.max(...of))}.`;

/** Tells the usual and the longest of these milliseconds: `Usually 5 min, at most 6 min.`; `null` without values. */
export function usualInWords(of: readonly number[]): string | null {
  const median = medianOf(of);
  return median === null ? null : `Usually ${aboutSpan(median)}, at most ${aboutSpan(Math.max(...of))}.`;
}
