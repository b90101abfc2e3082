// What memory holds of a transaction goes back when the database does: at a rollback, and at a rollback to a savepoint.

/** A part of memory that follows the transactions of the database. */
export interface TransactionMemory {
  /** A transaction begins. Returns a function that takes back all that it did. */
  begin(): () => void;
  /** The commit comes next: writes what is left to write. */
  end?(): void;
  /** A savepoint begins. Returns a function that takes back what was done since. */
  mark(): () => void;
}

/** Several parts of memory as one. */
export function allMemories(...memories: readonly TransactionMemory[]): Required<TransactionMemory> {
  const each = (begun: (memory: TransactionMemory) => () => void) => () => {
    const takeBacks = memories.map(begun);
    return () => {
      for (const takeBack of takeBacks) takeBack();
    };
  };
  const end = (): void => {
    for (const memory of memories) memory.end?.();
  };
  return { begin: each((memory) => memory.begin()), end, mark: each((memory) => memory.mark()) };
}
