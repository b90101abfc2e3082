// The guard of a data directory: exactly one process holds it, so exactly one writes the database. It is a lock of the
// operating system and vanishes with its process, however that ends; the file itself stays and says nothing.

import { Database, SQLiteError } from "bun:sqlite";
import { createPrivateFile } from "./files.ts";

const LOCK_FILE = "rollcall.lock";

/** Held here too: the garbage collector closes a database without a reference, and its lock goes with it. */
const held = new Set<Database>();

/**
 * Takes the guard of an existing directory and returns the function that gives it back. Throws, with a sentence for the
 * operator, when another process or another part of this one holds it.
 */
export function guardDirectory(directory: string): () => void {
  const path = `${directory}/${LOCK_FILE}`;
  createPrivateFile(path);
  const lock = new Database(path, { readwrite: true });
  try {
    // We never write to it, so no journal file is ever needed.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!(error instanceof SQLiteError && error.code === "SQLITE_BUSY")) throw error;
    throw new Error(`rollcall already runs on ${directory}: another process holds ${path}`, { cause: error });
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    lock.close();
  };
}
