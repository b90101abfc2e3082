// The command line before it has any command: how help looks, where it goes, and how a wrong call ends.

import { Command, CommanderError } from "commander";
import type { Shell } from "./command-shell.ts";
import { DONE, MISUSED } from "./io.ts";
import { VERSION } from "./version.ts";

/** Of help that goes to no terminal, such as a pager. */
const HELP_WIDTH = 80;

const EXIT_CODES = `
Exit codes:
  0  done
  1  refused or failed
  2  wrong usage or faulty configuration
  3  the service is not running
`;

export function newProgram({ io }: Pick<Shell, "io">): Command {
  return new Command("rollcall")
    .description(
      "Cron-job monitoring you run yourself: every job answers the roll, and you hear about the ones that don't.",
    )
    .version(`rollcall ${VERSION}`, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(withoutLineEnd(text)),
      writeErr: (text) => io.err(withoutLineEnd(text)),
      getOutHelpWidth: () => io.width ?? HELP_WIDTH,
      getErrHelpWidth: () => io.width ?? HELP_WIDTH,
    })
    .exitOverride()
    .addHelpText("after", EXIT_CODES);
}

/** Runs the command that `args` name. The exit code of a wrong call, or of help; null: the command has said its own. */
export async function parsed(program: Command, args: readonly string[]): Promise<number | null> {
  showUsage(program);
  try {
    await program.parseAsync([...args], { from: "user" });
    return null;
  } catch (error) {
    // Commander throws to stop, after writing its message; a wrong call has exit code 1 there and 2 here.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
    throw error;
  }
}

/** Commander names the argument that is missing or too much, and not where it belongs. */
function showUsage(command: Command): void {
  command.exitOverride((error) => {
    if (error.code === "commander.missingArgument" || error.code === "commander.excessArguments") {
      const usage = command.createHelp().commandUsage(command);
      command.configureOutput().writeErr?.(`usage: ${usage}; \`rollcall help ${pathOf(command)}\` says more`);
    }
    throw error;
  });
  for (const below of command.commands) showUsage(below);
}

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const withoutLineEnd = (text: string): string => text.replace(/\n$/, "");
