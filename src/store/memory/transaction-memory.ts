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

type UndoChanges = () => void;

/** Makes one function that undoes what several do. */
export const undoAll =
  (...takeBacks: readonly UndoChanges[]): UndoChanges =>
  () => {
    for (const takeBack of takeBacks) takeBack();
  };

/** Makes one part of memory of several. */
export const allMemories = (...memories: readonly TransactionMemory[]): Required<TransactionMemory> => ({
  begin: () => undoAll(...memories.map((memory) => memory.begin())),
  end: () => {
    for (const memory of memories) memory.end?.();
  },
  mark: () => undoAll(...memories.map((memory) => memory.mark())),
});
