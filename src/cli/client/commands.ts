// Declares `rollcall run` as a command: its help, and the messages about a wrong call. A right call is read by
// run-call.ts, without this file.

import { type Command, InvalidArgumentError } from "commander";
import { examples, newProgram, runParsed, type Shell } from "../command-shell.ts";
import { DONE, type Io } from "../io.ts";
import { carryOut, RUN_OPTIONS, type RunFlags, type RunOption } from "./run-call.ts";

export function addRun(program: Command, shell: Shell): Command {
  const run = program
    .command("run")
    .argument("[monitor]", "the key of the job's monitor")
    .argument("[command...]", "the command, with its arguments")
    .description("run a job's command on any host, and report its start and its end")
    .addHelpText(
      "after",
      `
Where to report: ROLLCALL_URL and ROLLCALL_KEY, or url and key (or key_file) in
~/.config/rollcall/client.toml or /etc/rollcall/client.toml. What cannot be
reported waits on disk, and the next run sends it.

The exit code is the command's. 127: there is no such command; 126: it cannot
be run; 2: run itself was called wrongly.
${examples(
  "rollcall run backup -- /usr/local/bin/backup --full",
  "rollcall run --schedule '0 2 * * *' --grace 30m backup -- backup.sh",
  "rollcall run --flush",
)}`,
    )
    .action(async (monitor: string | undefined, words: readonly string[], _flags: RunFlags, self: Command) => {
      const typed = withoutOptions(words, self);
      shell.finish(await carryOut({ monitor, typed, flags: self.opts<RunFlags>() }, shell));
    });
  for (const { flags, help, read } of Object.values<RunOption>(RUN_OPTIONS)) {
    if (read === undefined) run.option(flags, help);
    else run.option(flags, help, readerFor(read));
  }
  return run;
}

/**
 * Answers a call of `rollcall run` that run-call.ts does not understand: it asks for help or is wrong. Returns the exit
 * code.
 */
export async function runWrongJobCall(args: Shell["args"], environment: Shell["environment"], io: Io): Promise<number> {
  let exitCode = DONE;
  const program = newProgram({ io }).enablePositionalOptions();
  const finish = (code: number): void => {
    exitCode = code;
  };
  // All words after the job's command are its arguments, even without `--` before the command.
  const run = addRun(program, { args, environment, io, finish }).passThroughOptions();
  run.configureHelp({ showGlobalOptions: false });
  return (await runParsed(program, args)) ?? exitCode;
}

const readerFor =
  (read: NonNullable<RunOption["read"]>) =>
  (text: string, before: unknown): unknown => {
    try {
      return read(text, before as never);
    } catch (error) {
      throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
    }
  };

/**
 * Reads options between the monitor and `--` as options of `rollcall run`, and returns the words from `--` on. Without
 * such options, it returns all words. An option is never taken for the job's command, because no command begins with
 * `--`.
 */
function withoutOptions(words: readonly string[], self: Command): readonly string[] {
  const end = words.indexOf("--");
  if (end <= 0 || !words[0]!.startsWith("--")) return words;
  const { operands, unknown } = self.parseOptions(words.slice(0, end));
  const [stray] = [...operands, ...unknown];
  if (stray !== undefined)
    self.error(`error: ${stray} stands between the monitor and --, where only options of rollcall run may`);
  return words.slice(end);
}
