// Work that is too long for one turn of the event loop, as a value: whoever asked for it makes one stretch after another.
// Knows neither the event loop nor what is looked for.

/** Work that is done at once up to each `yield`, where others can have their turn. */
export type InStretches<Result> = Generator<undefined, Result, void>;

/** All of it at once. */
export function wholeOf<Result>(work: InStretches<Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}

/** The items a few at a time, each taken when its piece is asked for. */
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
