// How often a property is tried, and from which seed. The cases are the same each time, so that a test's statements
// about its cases do not depend on chance. PROPERTY_RUNS tries others; PROPERTY_SEED repeats those of a failing run,
// which has printed its seed.

const USUAL_SEED = 20_261_122;

export interface PropertyRuns {
  readonly numRuns: number;
  readonly seed: number;
}

/** `usual` is the number of cases when PROPERTY_RUNS sets none. */
export function propertyRuns(usual: number): PropertyRuns {
  const { PROPERTY_RUNS: asked, PROPERTY_SEED: again } = process.env;
  const seed = asked === undefined ? USUAL_SEED : Math.floor(Math.random() * 2 ** 31);
  return { numRuns: Number(asked ?? usual), seed: Number(again ?? seed) };
}
