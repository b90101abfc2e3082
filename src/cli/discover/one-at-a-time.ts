// One change of this machine's jobs at a time: each reads and writes the same ledger, and the server takes its list as whole.

import { closeSync, mkdirSync, openSync } from "node:fs";
import type { LockFile } from "../../client/lock.ts";

/** Locks the directory of the ledger until it is disposed of. Throws where another holds it. */
export function holdLedger(directory: string, lock: LockFile): Disposable {
  mkdirSync(directory, { recursive: true });
  const file = openSync(directory, "r");
  const held = { [Symbol.dispose]: () => closeSync(file) };
  if (lock(file)) return held;
  held[Symbol.dispose]();
  throw new Error("another rollcall discover is changing these jobs: try again when it has ended");
}
