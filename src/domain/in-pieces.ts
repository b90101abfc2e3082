// Long work as a generator. Its caller runs it piece by piece, so that other work can run in between.

/** Work that runs without a break up to each `yield`, at which other work can run. */
export type InPieces<Result> = Generator<undefined, Result, void>;

export type Made<Work extends (...given: never) => unknown> =
  ReturnType<Work> extends Generator<unknown, infer Result, never> ? Readonly<Result> : never;

export function wholeOf<Result>(work: InPieces<Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}

const SORTED_AT_ONCE = 500;

type Compare<Item> = (a: Item, b: Item) => number;

/** Returns the items in order. Items that compare as equal keep their order. */
export function* sortedInPieces<Item>(items: readonly Item[], compare: Compare<Item>): InPieces<readonly Item[]> {
  let sorted: (readonly Item[])[] = [];
  for (const piece of piecesOf(items, SORTED_AT_ONCE)) {
    sorted.push(piece.toSorted(compare));
    yield;
  }
  while (sorted.length > 1) {
    const longer: (readonly Item[])[] = [];
    for (const [one, other = []] of piecesOf(sorted, 2)) longer.push(yield* merged(one!, other, compare));
    sorted = longer;
  }
  return sorted[0] ?? [];
}

function* merged<Item>(one: readonly Item[], other: readonly Item[], compare: Compare<Item>): InPieces<Item[]> {
  const both: Item[] = [];
  let [inOne, inOther] = [0, 0];
  while (inOne < one.length && inOther < other.length) {
    both.push(compare(one[inOne]!, other[inOther]!) <= 0 ? one[inOne++]! : other[inOther++]!);
    if (both.length % SORTED_AT_ONCE === 0) yield;
  }
  for (; inOne < one.length; inOne++) both.push(one[inOne]!);
  for (; inOther < other.length; inOther++) both.push(other[inOther]!);
  return both;
}

/** Groups the items into lists of at most `most`. It reads the items only as far as the caller asks for lists. */
export function* piecesOf<Item>(items: Iterable<Item>, most: number): Generator<readonly Item[]> {
  let piece: Item[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < most) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
