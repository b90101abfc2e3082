// Applies an operator's patterns for secrets that have no known form. RE2 is used because its time grows linearly with
// the text for any pattern. `rollcall run` does not use this file, because loading the library would delay it.

import { RE2JS, RE2JSException } from "re2js";
import { boundedMap } from "../maps.ts";
import { HIDDEN } from "./secrets.ts";

/**
 * How many patterns an application may have, how long each may be (characters), and how large all of them may be as RE2
 * compiles them (steps). The time for one line of a log grows with the sum of the steps.
 */
export const PATTERNS_MAX = 10;
export const PATTERN_LENGTH = 200;
export const STEPS_MAX = 200;

/** The compiled patterns. They are kept, because every reload names the same few again. */
const compiled = boundedMap<RE2JS>(1_000);

export function patternProblem(pattern: string): string | null {
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

/** How many steps these patterns take together. Each must be a valid pattern. */
export const stepsOf = (patterns: readonly string[]): number =>
  patterns.reduce((steps, pattern) => steps + compile(pattern).programSize(), 0);

/**
 * The limit for finding further matches in one report (characters times steps, over all patterns). The time to find one
 * match grows only with the line, but finding all may take that time for each: `a.*b|a` searches for a `b` after each
 * `a`.
 */
const FURTHER_MOST = 32 * 1024 * STEPS_MAX;

/**
 * Returns a function that hides what these patterns match, one line at a time. It counts its work, so each report needs
 * a new one.
 */
export function hiderOf(patterns: readonly string[]): (line: string) => string {
  let further = FURTHER_MOST;

  function hideIn(line: string, pattern: RE2JS): string {
    // Most lines have no match, and testing for one is cheaper than searching for its place.
    if (!pattern.test(line)) return line;
    const matcher = pattern.matcher(line);
    let shown = "";
    let behind = 0;
    for (let found = 0; matcher.find(); found += 1) {
      const [from, to] = [matcher.start(), matcher.end()];
      // A pattern such as `\b` also matches an empty text between two letters.
      if (to > from) {
        // Adjacent matches are shown as one, so that the number of matches does not reveal the secret's length.
        const isBeside = behind > 0 && from === behind;
        shown += line.slice(behind, from) + (isBeside ? "" : HIDDEN);
        behind = to;
      }
      if (found > 0) further -= (line.length - to) * pattern.programSize();
      // Beyond the limit the rest of the line is hidden: too much is better than too little, and reports must not wait.
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
