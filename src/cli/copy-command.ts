// The hidden command that copies a database: the service runs it as a process of its own, so that no report waits.

import { setPriority } from "node:os";
import { messageOf } from "../domain/errors.ts";
import { copyDatabase } from "../store/file/copy.ts";
import { DONE, type Io, REFUSED } from "./io.ts";

/** Lower than that of the service. */
const PRIORITY = 10;

/** Prints what the copy holds as JSON. Exit code 0, or 1 with a sentence on stderr. */
export function runCopy(from: string, to: string, io: Io): number {
  giveWay();
  process.umask(0o077);
  try {
    io.out(JSON.stringify(copyDatabase(from, to)));
    return DONE;
  } catch (error) {
    io.err(messageOf(error));
    return REFUSED;
  }
}

/** A sandbox may forbid it; a copy at the service's own priority is better than none. */
function giveWay(): void {
  try {
    setPriority(PRIORITY);
  } catch {
    // At the service's own, then.
  }
}
