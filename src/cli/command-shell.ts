// All commands use this file for help, exit codes, wrong calls and yes-or-no questions, and for the options that name a
// configuration.

import { Command, CommanderError } from "commander";
import type { ConfigFlags } from "../config/load.ts";
import type { SocketCaller } from "./asking/ask-service.ts";
import { VERSION } from "./executable.ts";
import { DONE, type Io, MISUSED } from "./io.ts";
import { say } from "./screens/table.ts";

export interface Shell {
  readonly args: readonly string[];
  readonly environment: SocketCaller["environment"];
  readonly io: Io;
  readonly finish: (exitCode: number) => void;
}

export const flagsOf = (command: Command): ConfigFlags => {
  const { config, envFile } = command.optsWithGlobals<ConfigFlags>();
  return { ...(config === undefined ? {} : { config }), ...(envFile === undefined ? {} : { envFile }) };
};

/**
 * Asks a person at the terminal a yes-or-no question, and returns whether the answer is yes. Without a terminal it asks
 * nothing and returns true.
 */
export async function agrees(io: Io, question: string): Promise<boolean> {
  if (!io.input.isTerminal) return true;
  say(io, `${question} [y/N]`);
  const typed = await io.input.readShown();
  if (/^y(es)?$/i.test(typed?.trim() ?? "")) return true;
  say(io, "nothing was done");
  return false;
}

export const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

/** The width of help in columns, where it goes to no terminal but to a pager or a file. */
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

/**
 * Runs the command that `args` name. Returns `null` when the command ran, since it sets its exit code itself. Otherwise
 * returns the exit code of help or of a wrong call.
 */
export async function runParsed(program: Command, args: readonly string[]): Promise<number | null> {
  showUsage(program);
  try {
    await program.parseAsync([...args], { from: "user" });
    return null;
  } catch (error) {
    // Commander writes a message and then throws, after help too. For a wrong call its exit code is 1, and ours is 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
    throw error;
  }
}

/**
 * Makes the command say more than Commander does about a wrong call: its usage when an argument is missing or is too
 * much, and the help that lists what there is when a command or an option is unknown and none has a similar name.
 */
function showUsage(command: Command): void {
  command.exitOverride((error) => {
    if (error.code === "commander.missingArgument" || error.code === "commander.excessArguments") {
      const usage = command.createHelp().commandUsage(command);
      command.configureOutput().writeErr?.(`usage: ${usage}; \`rollcall help ${commandPath(command)}\` says more`);
    }
    const isUnknown = error.code === "commander.unknownCommand" || error.code === "commander.unknownOption";
    if (isUnknown && !error.message.includes("Did you mean"))
      command.configureOutput().writeErr?.(`\`rollcall help ${helpPath(command)}\` lists what there is`);
    throw error;
  });
  for (const below of command.commands) showUsage(below);
}

const commandPath = (command: Command): string =>
  command.parent?.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();

const helpPath = (command: Command): string => (command.parent === null ? "all" : commandPath(command));

const withoutLineEnd = (text: string): string => text.replace(/\n$/, "");
