// Work in pieces, with a turn of the event loop between two of them, so that no report waits for a page.

/** Resolves when the work is done; rejects with what it throws. */
export async function inTurns(work: Iterator<void, void, void>): Promise<void> {
  while (!work.next().done) await new Promise((resolve) => void setImmediate(resolve));
}
