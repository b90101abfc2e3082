// Keeps memory in step with the database: when a transaction is rolled back, or a savepoint of it, what it changed in
// memory is undone too.

/** A part of memory that must change with the database. */
export interface TransactionMemory {
  /** Must be called when a transaction begins. Returns a function that undoes all changes of this transaction. */
  begin(): () => void;
  /** Must be called before a commit. Writes to the database what this part has still to write. */
  end?(): void;
  /** Must be called when a savepoint is made. Returns a function that undoes all changes since the savepoint. */
  mark(): () => void;
}

type UndoChanges = () => void;

export const undoAll =
  (...takeBacks: readonly UndoChanges[]): UndoChanges =>
  () => {
    for (const takeBack of takeBacks) takeBack();
  };

export const allMemories = (...memories: readonly TransactionMemory[]): Required<TransactionMemory> => ({
  begin: () => undoAll(...memories.map((memory) => memory.begin())),
  end: () => {
    for (const memory of memories) memory.end?.();
  },
  mark: () => undoAll(...memories.map((memory) => memory.mark())),
});
