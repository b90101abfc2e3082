// The patterns of an operator, for secrets that no form tells. RE2's: the time to look for one grows with the text and
// never explodes, whatever the pattern. Not for `rollcall run`, which would wait for the library.

import { RE2JS, RE2JSException } from "re2js";
import { boundedMap } from "../maps.ts";
import { HIDDEN } from "./secrets.ts";

/**
 * How many an application may name, how long each may be (characters), and how large all of them as RE2 understands
 * them (steps): the time for one line of a log grows with their sum.
 */
export const PATTERNS_MAX = 10;
export const PATTERN_LENGTH = 200;
export const STEPS_MAX = 200;

/** As they were compiled: one configuration has few, and each reload names them again. */
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

/** How many steps these patterns take together; each must be one. */
export const stepsOf = (patterns: readonly string[]): number =>
  patterns.reduce((steps, pattern) => steps + compile(pattern).programSize(), 0);

/**
 * How far all patterns together look for further matches in one report (characters times steps). To find one match
 * takes time that grows with the line alone, but to find all may take that time for each: `a.*b|a` looks for a `b`
 * behind each `a`.
 */
const FURTHER_MOST = 32 * 1024 * STEPS_MAX;

/** Of one report, a line at a time, without what these patterns match. Not to be kept for another. */
export function hiderOf(patterns: readonly string[]): (line: string) => string {
  let further = FURTHER_MOST;

  function hideIn(line: string, pattern: RE2JS): string {
    // Most lines have none, and to find that out is cheaper than to look for where it is.
    if (!pattern.test(line)) return line;
    const matcher = pattern.matcher(line);
    let shown = "";
    let behind = 0;
    for (let found = 0; matcher.find(); found += 1) {
      const [from, to] = [matcher.start(), matcher.end()];
      // A pattern such as \b also matches between two letters.
      if (to > from) {
        // Matches beside each other are one: no one learns how long they are together.
        const isBeside = behind > 0 && from === behind;
        shown += line.slice(behind, from) + (isBeside ? "" : HIDDEN);
        behind = to;
      }
      if (found > 0) further -= (line.length - to) * pattern.programSize();
      // Too much is hidden rather than too little, and reports do not wait.
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
