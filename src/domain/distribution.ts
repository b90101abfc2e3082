// Counts how many values lay between each two neighbours of a few ascending bounds. It keeps counts and not the values,
// so adding a value is cheap: every batch of reports adds one.

export interface Distribution {
  readonly bounds: readonly number[];
  /** For each bound, the values up to it and above the one before. The last count is of values above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Makes an empty distribution. `bounds` must be ascending. */
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
    /** A copy of the counts so far. Values that are noted later do not change the copy. */
    seen: () => ({ bounds, counts: [...counts], sum }),
  };
}
