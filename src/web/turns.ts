// Work in pieces, with a turn of the event loop between two of them, so that no report waits for a page.

/** Resolves to its result when the work is done; rejects with what it throws. */
export async function inTurns<Result>(work: Iterator<unknown, Result, void>): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
