// The command table: every command with its options, its help and what it runs. Reads arguments, writes nothing itself
// and decides nothing but the exit code of a wrong call.

import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { ConfigFlags } from "../config/load.ts";
import { runAppCreate } from "./app-commands.ts";
import { runConfigCheck } from "./config-check.ts";
import { runInit } from "./init.ts";
import { DONE, type Io, MISUSED } from "./io.ts";
import { runKeyCreate, runKeyList, runKeyRevoke } from "./key-commands.ts";
import type { LogFormat } from "./logger.ts";
import type { Caller } from "./socket-client.ts";
import { VERSION } from "./version.ts";

/** What commands are given, and where the exit code of the one that ran goes. */
interface Shell {
  readonly environment: Caller["environment"];
  readonly io: Io;
  readonly finish: (exitCode: number) => void;
}

const EXIT_CODES = `
Exit codes:
  0  done
  1  refused or failed
  2  wrong usage or faulty configuration
  3  the service is not running
`;

/** Runs one command line, without the names of executable and script, to its end. Answers the exit code. */
export async function runCli(args: readonly string[], environment: Caller["environment"], io: Io): Promise<number> {
  let exitCode = DONE;
  const finish = (code: number): void => {
    exitCode = code;
  };
  try {
    await createProgram({ environment, io, finish }).parseAsync([...args], { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander throws to stop, after it has written what there is to say; a wrong call is 1 to it and 2 to us.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : MISUSED;
    throw error;
  }
}

function createProgram(shell: Shell): Command {
  const { io } = shell;
  const program = new Command("rollcall")
    .description(
      "Cron-job monitoring you run yourself: every job answers the roll, and you hear about the ones that don't.",
    )
    .option(
      "--config <file>",
      "read this configuration file (default: $ROLLCALL_CONFIG, ./rollcall.toml, /etc/rollcall/rollcall.toml)",
    )
    .option("--env-file <file>", "read environment variables from this file; the real environment wins")
    .version(`rollcall ${VERSION}`, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(withoutLineEnd(text)),
      writeErr: (text) => io.err(withoutLineEnd(text)),
    })
    .exitOverride()
    .addHelpText("after", EXIT_CODES);
  addServe(program, shell);
  addConfiguration(program, shell);
  addApplications(program, shell);
  addKeys(program, shell);
  addInformation(program, shell);
  return program;
}

function addServe(program: Command, { io, finish }: Shell): void {
  program
    .command("serve")
    .description("run the service in the foreground; needs no configuration")
    .addOption(
      new Option("--log <format>", "how to write the log on stderr").choices(["json", "pretty"]).default("json"),
    )
    .addHelpText(
      "after",
      examples(
        "rollcall serve",
        "rollcall serve --config /etc/rollcall/rollcall.toml",
        "ROLLCALL_SERVER__LISTEN=127.0.0.1:9000 rollcall serve --log pretty",
      ),
    )
    .action(async ({ log }: { log: LogFormat }, command: Command) => {
      // Loaded when needed, so that the other commands do not wait for a web framework they never use.
      const { runServe } = await import("./serve.ts");
      finish(await runServe({ ...flagsOf(command), log }, io));
    });
}

function addConfiguration(program: Command, { environment, io, finish }: Shell): void {
  program
    .command("init")
    .argument("[dir]", "where to write it", ".")
    .description("write a commented rollcall.toml with every key and its default")
    .addHelpText("after", examples("rollcall init", "rollcall init /etc/rollcall"))
    .action((directory: string) => finish(runInit(directory, io)));
  program
    .command("config")
    .description("look at the configuration")
    .helpCommand(false)
    .command("check")
    .description("read the configuration and print every fault at once, or what it means; prints no secret")
    .addHelpText("after", examples("rollcall config check", "rollcall config check --config ./rollcall.toml"))
    .action((_options, command: Command) => finish(runConfigCheck(flagsOf(command), environment, io)));
}

function addApplications(program: Command, shell: Shell): void {
  program
    .command("app")
    .description("create applications: groups of monitors with keys of their own")
    .helpCommand(false)
    .command("create")
    .argument("<slug>", "1 to 40 lowercase letters, digits and hyphens")
    .description("create an application")
    .addHelpText("after", examples("rollcall app create prod"))
    .action(async (slug: string, _options, command: Command) =>
      shell.finish(await runAppCreate(callerOf(command, shell), slug)),
    );
}

function addKeys(program: Command, shell: Shell): void {
  const key = program.command("key").description("create, list and revoke API keys").helpCommand(false);
  key
    .command("create")
    .argument("<app>", "the application's slug")
    .description("create an API key and print it once, alone on the first line of stdout")
    .addOption(new Option("--scope <scope>", "what the key may do").choices(["all", "ping", "sync"]).default("all"))
    .addHelpText("after", examples("rollcall key create prod", "rollcall key create prod --scope ping > key"))
    .action(async (app: string, { scope }: { scope: string }, command: Command) =>
      shell.finish(await runKeyCreate(callerOf(command, shell), app, scope)),
    );
  key
    .command("list")
    .argument("[app]", "only the keys of this application")
    .description("list keys: number, scope, creation, last use; never the keys themselves")
    .option("--json", "print JSON")
    .addHelpText("after", examples("rollcall key list", "rollcall key list prod --json"))
    .action(async (app: string | undefined, { json }: { json?: true }, command: Command) =>
      shell.finish(await runKeyList(callerOf(command, shell), app ?? null, json === true)),
    );
  key
    .command("revoke")
    .argument("<id>", "the key's number, as `key list` shows it", readId)
    .description("revoke a key for good; jobs that still use it are refused")
    .addHelpText("after", examples("rollcall key revoke 3"))
    .action(async (id: number, _options, command: Command) =>
      shell.finish(await runKeyRevoke(callerOf(command, shell), id)),
    );
}

function addInformation(program: Command, { io }: Shell): void {
  program
    .command("version")
    .description("print the version")
    .action(() => io.out(`rollcall ${VERSION}`));
  program
    .command("help")
    .argument("[command...]", "one command, in one or two words")
    .description("print this help, or that of a command")
    .addHelpText("after", examples("rollcall help", "rollcall help key create"))
    .action((names: string[]) => findCommand(program, names).help());
}

const callerOf = (command: Command, { environment, io }: Shell): Caller => ({
  flags: flagsOf(command),
  environment,
  io,
});

const flagsOf = (command: Command): ConfigFlags => {
  const { config, envFile } = command.optsWithGlobals<ConfigFlags>();
  return { ...(config === undefined ? {} : { config }), ...(envFile === undefined ? {} : { envFile }) };
};

function findCommand(program: Command, names: readonly string[]): Command {
  let found = program;
  for (const name of names) {
    const next = found.commands.find((command) => command.name() === name);
    if (next === undefined)
      return program.error(`error: unknown command '${names.join(" ")}'; rollcall help lists all`);
    found = next;
  }
  return found;
}

function readId(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;

const withoutLineEnd = (text: string): string => text.replace(/\n$/, "");
