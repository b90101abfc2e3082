// Writes and reads many whole numbers as short text: `12,15-20`.

type Range = readonly [first: number, last: number];

/** Writes numbers in ascending order, as ranges: 7, 2, 1 and 3 become `1-3,7`. */
export function numberRanges(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const newest = ranges.at(-1);
    if (newest !== undefined && number <= newest[1] + 1) newest[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

const ONE_RANGE = /^(\d{1,15})(?:-(\d{1,15}))?$/;

/** Returns the ranges in the order of the text; `null` when the text is not a list such as `12,15-20`. */
export function readNumberRanges(text: string): readonly Range[] | null {
  const ranges = text.split(",").map((part): Range | null => {
    const [, first, last = first] = ONE_RANGE.exec(part.trim()) ?? [];
    return first === undefined || Number(first) > Number(last) ? null : [Number(first), Number(last)];
  });
  return ranges.every((range) => range !== null) ? ranges : null;
}
