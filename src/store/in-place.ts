// Whether the file of an open database is still where it was opened. A process may go on writing to a file that somebody has
// deleted or replaced: it would answer reports that no start ever finds again.

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";

export interface Place {
  /** Looks; whether the file is gone. One without a file never is. */
  look(): boolean;
  /** What the last look found. */
  isGone(): boolean;
}

/** To be called at the opening. */
export function watchPlace({ filename }: Database): Place {
  const opened = fileAt(filename);
  let isGone = false;
  return {
    look: () => {
      isGone = opened !== null && fileAt(filename) !== opened;
      return isGone;
    },
    isGone: () => isGone,
  };
}

/** Which file has this name; null: none. */
function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
