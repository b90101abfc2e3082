// The operator's own command, run with each backup that we make by ourselves: to copy it to another machine.

import { type AfterEnd, runProgram } from "./child.ts";
import type { CopySending } from "./making.ts";

export interface Hook {
  /** As in the configuration: a shell reads it, and the file is its `$1`. */
  readonly command: string;
  /** Milliseconds. */
  readonly limit: number;
}

/** Settles with what went wrong, in words; null: nothing. */
export function sendingOf(
  { command, limit }: Hook,
  environment: Readonly<Record<string, string | undefined>>,
  after: AfterEnd,
): (file: string) => CopySending {
  return (file) => {
    const running = runProgram({ command: ["/bin/sh", "-c", command, "rollcall", file], environment, limit }, after);
    return {
      kill: running.kill,
      ended: running.ended.then(({ exitCode, late, lastLine }) => {
        if (exitCode === 0) return null;
        const how = late
          ? `it had not ended after ${limit / 1_000} s`
          : exitCode === null
            ? "a signal ended it"
            : `exit code ${exitCode}`;
        return lastLine === "" ? how : `${how}: ${lastLine}`;
      }),
    };
  };
}
