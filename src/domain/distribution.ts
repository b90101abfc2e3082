// Counts how many values lay at or below each of a few bounds. It uses plain numbers, because every batch of reports
// adds a value.

export interface Distribution {
  readonly bounds: readonly number[];
  /**
   * How many values lay above the previous bound and not above this one. The last count is of values above all bounds.
   */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Creates an empty distribution. `bounds` is ascending. */
export function createDistribution(bounds: readonly number[]) {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    note: (value: number): void => {
      let place = 0;
      while (place < bounds.length && value > bounds[place]!) place++;
      counts[place]!++;
      sum += value;
    },
    /** A copy of the current state, which later values do not change. */
    seen: () => ({ bounds, counts: [...counts], sum }),
  };
}
