// `rollcall run` alone, without the rest of the commands: they take longer to load than a job should wait.

import type { Shell } from "../command-shell.ts";
import { DONE, type Io } from "../io.ts";
import { newProgram, parsed } from "../program.ts";
import { addRun } from "./commands.ts";

/** Runs one command line that begins with `run` to its end. Returns the exit code, unless the job had another. */
export async function runClientCli(
  args: readonly string[],
  environment: Shell["environment"],
  io: Io,
): Promise<number> {
  let exitCode = DONE;
  const program = newProgram({ io }).enablePositionalOptions();
  // What follows the command belongs to it, also without `--`.
  const shell: Shell = {
    args,
    environment,
    io,
    finish: (code) => {
      exitCode = code;
    },
  };
  addRun(program, shell).passThroughOptions().configureHelp({ showGlobalOptions: false });
  return (await parsed(program, args)) ?? exitCode;
}
