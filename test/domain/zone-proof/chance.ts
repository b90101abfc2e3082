// Numbers that look like chance and follow from a seed, so that a case of the zone proof can be played again.

/** Answers with a whole number from 0 up to `below`, without it. */
export type Chance = (below: number) => number;

/** Mulberry32 over the seed and what names the case: the same parts, the same numbers. */
export function chanceOf(...parts: readonly number[]): Chance {
  let state = 0;
  for (const part of parts) state = Math.imul(state ^ part, 0x9e3779b1) + 0x85ebca6b;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
