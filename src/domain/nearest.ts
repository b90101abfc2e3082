// Finds the known name that the caller probably meant. Pure.

import { closestMatch } from "leven";

/** The nearest candidate at most two edits away (one for short words); null when none is near. */
export const nearest = (word: string, candidates: Iterable<string>): string | null =>
  closestMatch(word, [...candidates], { maxDistance: word.length < 4 ? 1 : 2 }) ?? null;
