// Runs the two commands that must start fast, `rollcall run` and `rollcall --version`. It loads no module that takes
// long, because a job waits.

import { writeSync } from "node:fs";
import { holdStill } from "../clock.ts";
import type { Shell } from "../command-shell.ts";
import { VERSION } from "../executable.ts";
import { DONE } from "../io.ts";
import { carryOut, readCall } from "./run-call.ts";

/**
 * Runs `rollcall run` or `rollcall --version` and returns the exit code. If a signal ended the job, this process ends
 * by that signal instead. Returns `null` when the call is wrong or asks for help: the slower `commands.ts` or `cli.ts`
 * then answers it.
 */
export async function runJobAtOnce(args: readonly string[], environment: Shell["environment"]): Promise<number | null> {
  const io = { out: (line: string) => writeLine(1, line), err: (line: string) => writeLine(2, line) };
  if (args.length === 1 && args[0] === "--version") {
    io.out(`rollcall ${VERSION}`);
    return DONE;
  }
  const call = args[0] === "run" ? readCall(args) : null;
  return call === null ? null : await carryOut(call, { args, environment, io });
}

/** How many milliseconds to wait before writing again to a pipe that was full. */
const FULL_PIPE_WAIT = 5;

function writeLine(file: 1 | 2, line: string): void {
  let left = new TextEncoder().encode(`${line}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(file, left));
    } catch (error) {
      // EAGAIN means that the pipe is full for now. Any other error means that its reader has gone.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      holdStill(FULL_PIPE_WAIT);
    }
  }
}
