// Hides what an operator's own patterns match in a job's output: secrets of no known form. The library is RE2, in which
// no pattern makes a match slow. `rollcall run` does not use this file: loading RE2 would delay the job.

import { RE2JS, RE2JSException } from "re2js";
import { boundedMap } from "../maps.ts";
import { HIDDEN } from "./secrets.ts";

/**
 * The limits of an application's patterns: how many there may be, how many characters each may have, and how many steps
 * all of them together may have as RE2 compiles them. The time for one line grows with the number of steps.
 */
export const PATTERNS_MAX = 10;
export const PATTERN_LENGTH = 200;
export const STEPS_MAX = 200;

/** The compiled patterns, kept because each reload names the same ones again. */
const compiled = boundedMap<RE2JS>(1_000);

export function outputPatternProblem(pattern: string): string | null {
  if (pattern.length > PATTERN_LENGTH) return "is too long";
  try {
    const found = compile(pattern);
    if (found.programSize() > STEPS_MAX) return "repeats too much";
    return found.test("") ? "matches where there is nothing" : null;
  } catch (error) {
    if (error instanceof RE2JSException)
      return `is not a regular expression of RE2: ${error.message.replace(/^error parsing regexp: |: `.*$/gs, "")}`;
    throw error;
  }
}

/** How many steps RE2 compiles these patterns to, together. It throws when a pattern is not valid. */
export const patternSteps = (patterns: readonly string[]): number =>
  patterns.reduce((steps, pattern) => steps + compile(pattern).programSize(), 0);

/**
 * How much work one report may cause by further matches in a line, after the first. The work of a match is the number
 * of characters left in the line, times the number of steps of the pattern. `a.*b|a`, for example, looks for a `b`
 * after every `a`. When this work is used up, the rest of the line is hidden.
 */
const FURTHER_MOST = 32 * 1024 * STEPS_MAX;

/**
 * Returns a function that hides what the patterns match in a line. The function adds up its work, so make a new one for
 * each report.
 */
export function hiderOf(patterns: readonly string[]): (line: string) => string {
  let further = FURTHER_MOST;

  function hideIn(line: string, pattern: RE2JS): string {
    // A shortcut: most lines have no match, and `test` is cheaper than `matcher`.
    if (!pattern.test(line)) return line;
    const matcher = pattern.matcher(line);
    let shown = "";
    let behind = 0;
    for (let found = 0; matcher.find(); found += 1) {
      const [from, to] = [matcher.start(), matcher.end()];
      // A pattern such as `\b` matches empty text, of which nothing is to be hidden.
      if (to > from) {
        // Matches that touch are hidden by one `***`. Several would show how long the secret is.
        const isBeside = behind > 0 && from === behind;
        shown += line.slice(behind, from) + (isBeside ? "" : HIDDEN);
        behind = to;
      }
      if (found > 0) further -= (line.length - to) * pattern.programSize();
      // Hiding has cost as much work as one report may cost. So the rest of the line is hidden without looking: that is
      // better than showing a secret or letting other reports wait.
      if (further < 0) return shown.endsWith(HIDDEN) ? shown : shown + HIDDEN;
    }
    return shown + line.slice(behind);
  }

  return (line) => patterns.reduce((hidden, pattern) => hideIn(hidden, compile(pattern)), line);
}

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}
