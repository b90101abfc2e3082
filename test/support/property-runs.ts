// How often a property is tried, and from which seed: the same cases each time, so that what a test says about the
// cases it met does not hang on chance. PROPERTY_RUNS tries others; PROPERTY_SEED repeats those of a failing run, which
// has printed its seed.

const USUAL_SEED = 20_261_122;

export interface PropertyRuns {
  readonly numRuns: number;
  readonly seed: number;
}

/** `usual`: the number of cases where PROPERTY_RUNS names none. */
export function propertyRuns(usual: number): PropertyRuns {
  const { PROPERTY_RUNS: asked, PROPERTY_SEED: again } = process.env;
  const seed = asked === undefined ? USUAL_SEED : Math.floor(Math.random() * 2 ** 31);
  return { numRuns: Number(asked ?? usual), seed: Number(again ?? seed) };
}
