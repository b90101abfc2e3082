// Declares every command of rollcall with its options, its help and the function that runs it, and runs one command
// line.

import { Argument, type Command, Option } from "commander";
import { COPY_COMMAND } from "../backup/programs.ts";
import type { SocketCaller } from "./asking/ask-service.ts";
import { COMPLETE, COMPLETION_SCRIPTS, completionsFor, SHELLS } from "./asking/completion.ts";
import { addOperations } from "./asking/operation-commands.ts";
import { asksService, callerOf, refuseElsewhere } from "./asking/remote-options.ts";
import type { SetupAnswers } from "./asking/setup.ts";
import { addRun } from "./client/commands.ts";
import { systemClock } from "./clock.ts";
import { groupCommands } from "./command-groups.ts";
import type { Shell } from "./command-shell.ts";
import { examples, flagsOf, newProgram, runParsed } from "./command-shell.ts";
import { runConfigCheck, runInit } from "./config-commands.ts";
import { runCopy, runRestore } from "./database-commands.ts";
import { addDiscover } from "./discover/discover-command.ts";
import { VERSION } from "./executable.ts";
import { addImport } from "./import/import-command.ts";
import { DONE, type Io } from "./io.ts";
import { machineZone } from "./machine-zone.ts";
import type { RenderFlags } from "./notify-render.ts";
import type { LogFormat } from "./serving/logger.ts";
import { systemdUnit } from "./systemd-unit.ts";

/**
 * Runs one command line to its end, and returns the exit code. `args` leaves out the names of the executable and its
 * script.
 */
export async function runCli(
  args: readonly string[],
  environment: SocketCaller["environment"],
  io: Io,
): Promise<number> {
  let exitCode = DONE;
  const finish = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram({ args, environment, io, finish });
  const [asked, current = "", ...before] = args;
  if (asked === COMPLETE) {
    const found = await completionsFor(program, current, before, { args, flags: {}, environment, io });
    for (const { word, meaning } of found) io.out(`${word}\t${meaning.replaceAll(/\s+/g, " ")}`);
    return DONE;
  }
  return (await runParsed(program, args)) ?? exitCode;
}

function createProgram(shell: Shell): Command {
  const program = newProgram(shell)
    .option(
      "--config <file>",
      "read this configuration file (default: $ROLLCALL_CONFIG, ./rollcall.toml, /etc/rollcall/rollcall.toml)",
    )
    .option("--env-file <file>", "read environment variables from this file; the real environment wins")
    .option("--remote <url>", "ask the service at this address, with an administrator's key ($ROLLCALL_ADMIN_KEY)")
    .option("--key-file <file>", "read that key from this file (default: $ROLLCALL_ADMIN_KEY_FILE)")
    .hook("preAction", (_program, command) => refuseElsewhere(command));
  addServe(program, shell);
  addOperations(program, shell);
  addConfiguration(program, shell);
  addSetup(program, shell);
  addRender(findCommand(program, ["notify"]), shell);
  addAssistants(program, shell);
  addMailIn(program, shell);
  addBackups(program, shell);
  addDiscover(program, shell);
  addImport(program, shell);
  addRun(program, shell).configureHelp({ showGlobalOptions: false });
  addInformation(program, shell);
  return program;
}

function addServe(program: Command, { io, finish }: Shell): void {
  program
    .command("serve")
    .description("run the service in the foreground; needs no configuration")
    .addOption(
      new Option("--log <format>", "how to write the log on stderr (default: pretty at a terminal, else json)").choices(
        ["json", "pretty"],
      ),
    )
    .addHelpText(
      "after",
      examples(
        "rollcall serve",
        "rollcall serve --config /etc/rollcall/rollcall.toml",
        "ROLLCALL_SERVER__LISTEN=127.0.0.1:9000 rollcall serve --log pretty",
      ),
    )
    .action(async ({ log }: { log?: LogFormat }, command: Command) => {
      // This module is loaded only now, so that other commands do not wait for a web framework that they never use.
      const { runServe } = await import("./serving/serve.ts");
      finish(await runServe({ ...flagsOf(command), log: log ?? null }, io));
    });
}

function addConfiguration(program: Command, { environment, io, finish }: Shell): void {
  program
    .command("init")
    .argument("[dir]", "where to write it", ".")
    .description("write a commented rollcall.toml with every key and its default")
    .addHelpText("after", examples("rollcall init", "rollcall init /etc/rollcall"))
    .action((directory: string) => finish(runInit(directory, machineZone(), io)));
  findCommand(program, ["config"])
    .command("check")
    .description("read the configuration and print every fault at once, or what it means; prints no secret")
    .addHelpText("after", examples("rollcall config check", "rollcall config check --config ./rollcall.toml"))
    .action((_options, command: Command) => finish(runConfigCheck(flagsOf(command), environment, io)));
  program
    .command("systemd-unit")
    .description("print the unit by which systemd runs this executable, with all restrictions that it bears")
    .addHelpText("after", examples("rollcall systemd-unit > /etc/systemd/system/rollcall.service"))
    .action(() => io.out(systemdUnit(process.execPath)));
}

function addSetup(program: Command, shell: Shell): void {
  const command = program
    .command("setup")
    .description("ask what a new installation needs, and set it up: zone, address, alerts, sign-in, first jobs")
    .addHelpText("after", `\n${SETUP_NOTES}\n${examples("rollcall setup", SETUP_EXAMPLE)}`)
    .action(async (options: SetupAnswers) => {
      const { runSetup } = await import("./asking/setup.ts");
      shell.finish(await runSetup(options, callerOf(command, shell)));
    });
  for (const [flags, meaning] of SETUP_OPTIONS) command.option(flags, meaning);
  asksService(command);
}

const SETUP_OPTIONS = [
  ["--timezone <zone>", "the zone of schedules for which nothing else names one"],
  ["--url <address>", "the address under which jobs and people reach rollcall"],
  ["--destination <type>", "where alerts go: a type that `destination kinds` lists"],
  ["--setting <k=v...>", "what the destination needs, as KEY=VALUE"],
  ["--mail <k=v...>", "the server that takes our mail, as KEY=VALUE, if alerts go by e-mail"],
  ["--administrator <name>", "who signs in to the dashboard; prints a one-time link"],
  ["--watch <what>", "what to watch first: discover, import or curl; prints the line"],
] as const;

const SETUP_NOTES = `Each option answers a question, "none" leaves it as it is. Nothing is done
before the last is answered. What the configuration file says wins.

With a destination it ends with an alert: a job called setup-trial fails and
recovers, over HTTP as jobs report, and is deleted again. A terminal asks
whether the alert arrived. What ntfy needs may be left out: a topic is made.`;

const SETUP_EXAMPLE = "rollcall setup --timezone UTC --destination ntfy --watch discover";

function addRender(group: Command, { environment, io, finish }: Shell): void {
  group
    .command("render")
    .argument("<destination>", "its name, as `destination list` shows it")
    .description("print what would be sent to a destination, without secrets and without sending it")
    .addOption(
      new Option("--event <event>", "which message").choices(["failure", "recovery", "test"]).default("failure"),
    )
    .option("--plain", "the short form, for a receiver that refused the full one")
    .addHelpText("after", examples("rollcall notify render ops", "rollcall notify render ops --event recovery"))
    .action(async (name: string, flags: RenderFlags, command: Command) => {
      const { runRender } = await import("./notify-render.ts");
      finish(runRender(name, { ...flags, ...flagsOf(command) }, environment, io));
    });
}

function addAssistants(program: Command, shell: Shell): void {
  const command = program
    .command("mcp")
    .description("offer the operations that look to an assistant, over stdin and stdout (Model Context Protocol)")
    .option("--admin", "offer also those that act")
    .addHelpText("after", examples("rollcall mcp", "rollcall --remote https://cron.example.org mcp --admin"))
    .action(async ({ admin }: { admin?: true }, command: Command) => {
      const { runMcp } = await import("./asking/mcp.ts");
      shell.finish(await runMcp(callerOf(command, shell), admin === true));
    });
  asksService(command);
}

function addMailIn(program: Command, { environment, io, finish }: Shell): void {
  program
    .command("mail-in")
    .description("hand a mail on stdin to the running service, as a report of the job whose address it came to")
    .option("--to <address>", "its recipient (default: what the mail server says, or its headers)")
    .option("--at <address>", "where the service listens for mail", "127.0.0.1:2525")
    .addHelpText("after", examples("rollcall mail-in < message", "rollcall mail-in --to backup+KEY@jobs.example.org"))
    .action(async ({ to, at }: { to?: string; at: string }) => {
      const { runMailIn } = await import("./mail-in-command.ts");
      finish(await runMailIn(to ?? null, at, environment, io));
    });
}

function addBackups(program: Command, { environment, io, finish }: Shell): void {
  program
    .command("restore")
    .argument("<file>", "a backup, or a copy of the database with its -wal file beside it")
    .description("put a backup in the place of the database; refuses while rollcall runs, and keeps the replaced file")
    .addHelpText("after", examples("rollcall restore /var/lib/rollcall/backups/rollcall-20260301T020000Z.db"))
    .action((file: string, _options, command: Command) =>
      finish(runRestore(file, flagsOf(command), environment, systemClock.now(), io)),
    );
  program
    .command(COPY_COMMAND, { hidden: true })
    .argument("<from>")
    .argument("<to>")
    .description("copy a database for the service, which runs this by itself")
    .action((from: string, to: string) => finish(runCopy(from, to, io)));
}

function addInformation(program: Command, { io }: Shell): void {
  program
    .command("version")
    .description("print the version")
    .action(() => io.out(`rollcall ${VERSION}`));
  program
    .command("help")
    .argument("[command...]", "one command, in one or two words; all: every command, in groups")
    .description("print this help, or that of a command")
    .addHelpText("after", examples("rollcall help", "rollcall help all", "rollcall help key create"))
    .action((names: string[]) => {
      const isAll = names.length === 1 && names[0] === "all";
      if (isAll) groups.showAll();
      findCommand(program, isAll ? [] : names).help();
    });
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell that is to complete").choices(SHELLS))
    .description("print a script by which a shell completes commands, options and keys of monitors")
    .addHelpText("after", examples('eval "$(rollcall completion bash)"', "rollcall completion fish | source"))
    .action((shell: (typeof SHELLS)[number]) => io.out(COMPLETION_SCRIPTS[shell]));
  const groups = groupCommands(program);
}

function findCommand(program: Command, names: readonly string[]): Command {
  let found = program;
  for (const name of names) {
    const next = found.commands.find((command) => command.name() === name);
    if (next === undefined)
      return program.error(`error: unknown command '${names.join(" ")}'; rollcall help all lists them`);
    found = next;
  }
  return found;
}
