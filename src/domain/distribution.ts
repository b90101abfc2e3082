// How many values lay at or below each of a few bounds. Plain numbers: one is noted with every batch of reports.

export interface Distribution {
  readonly bounds: readonly number[];
  /** How many values lay above the bound before and not above this one; the last counts those above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** One without values. `bounds`: ascending. */
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
    /** As it is now; it changes no more. */
    seen: () => ({ bounds, counts: [...counts], sum }),
  };
}
