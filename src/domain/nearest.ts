// Finds the known name that was probably meant. Pure.

import { closestMatch } from "leven";

/** The candidate at most two edits away (one for short words), the nearest first; null when none is near. */
export const nearest = (word: string, candidates: Iterable<string>): string | null =>
  closestMatch(word, [...candidates], { maxDistance: word.length < 4 ? 1 : 2 }) ?? null;
