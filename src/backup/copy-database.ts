// Has a copy of the database made by a process of its own, so that no report waits for it.

import { type AfterEnd, runProgram } from "./child.ts";
import type { Copying } from "./making.ts";

/** A copy that takes longer than this hangs. Milliseconds. */
const LIMIT = 6 * 60 * 60_000;

export interface Copier {
  /** What runs this program: the executable, or the runtime and its script. */
  readonly ourselves: readonly [string, ...string[]];
  readonly after: AfterEnd;
}

/** The hidden command that makes a copy, and prints what it holds as JSON. */
export const COPY_COMMAND = "copy-database";

export function copierOf({ ourselves, after }: Copier): (from: string, to: string) => Copying {
  return (from, to) => {
    const running = runProgram(
      { command: [...ourselves, COPY_COMMAND, from, to], environment: {}, limit: LIMIT },
      after,
    );
    return {
      kill: running.kill,
      ended: running.ended.then(({ exitCode, lastLine, out }) =>
        exitCode === 0 ? JSON.parse(out) : { fault: lastLine || "the process that made the copy was ended" },
      ),
    };
  };
}
