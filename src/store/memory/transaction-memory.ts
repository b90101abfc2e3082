// Undoes changes in memory when the database is rolled back, as a whole or to a savepoint.

/** A part of memory that follows the transactions of the database. */
export interface TransactionMemory {
  /** Called when a transaction begins. Returns a function that undoes everything it did. */
  begin(): () => void;
  /** Called before the commit; writes what is left to write. */
  end?(): void;
  /** Called at a savepoint. Returns a function that undoes what was done since. */
  mark(): () => void;
}

/** Joins several parts of memory into one. */
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
