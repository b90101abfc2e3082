// The guard of a data directory: exactly one process holds it, so exactly one writes the database. It is a lock of the
// operating system and vanishes with its process, however that ends; the file itself says nothing and stays.

import { Database, SQLiteError } from "bun:sqlite";
import { createPrivateFile } from "./files.ts";

const LOCK_FILE = "rollcall.lock";

/** Held here too: a database without a reference is closed when garbage is collected, and its lock goes with it. */
const held = new Set<Database>();

/**
 * Takes the guard of an existing directory and returns how to give it back. Throws, with a sentence for the operator,
 * when another process, or another part of this one, holds it.
 */
export function guardDirectory(directory: string): () => void {
  const path = `${directory}/${LOCK_FILE}`;
  createPrivateFile(path);
  const lock = new Database(path, { readwrite: true });
  try {
    // Nothing is ever written, so nothing need ever be undone from a file.
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
