// Runs the commands that must start fast, `rollcall run` and `--version`, without loading modules that take longer than
// a job should wait.

import { writeSync } from "node:fs";
import { holdStill } from "../clock.ts";
import type { Shell } from "../command-shell.ts";
import { VERSION } from "../executable.ts";
import { DONE } from "../io.ts";
import { carryOut, readCall } from "./run-call.ts";

/**
 * Runs the command to its end and returns the exit code, unless the job ended in another way; `null` when the command
 * line must handle the call.
 */
export async function runAtOnce(args: readonly string[], environment: Shell["environment"]): Promise<number | null> {
  const io = { out: (line: string) => writeLine(1, line), err: (line: string) => writeLine(2, line) };
  if (args.length === 1 && args[0] === "--version") {
    io.out(`rollcall ${VERSION}`);
    return DONE;
  }
  const call = args[0] === "run" ? readCall(args) : null;
  return call === null ? null : await carryOut(call, { args, environment, io });
}

/** After how many milliseconds a write to a full pipe that does not block is tried again. */
const FULL = 5;

function writeLine(file: 1 | 2, line: string): void {
  let left = new TextEncoder().encode(`${line}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(file, left));
    } catch (error) {
      // With any other error the reader of the pipe is gone.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      holdStill(FULL);
    }
  }
}
