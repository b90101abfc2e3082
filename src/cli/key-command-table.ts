// The part of the command table about applications and API keys: arguments, options, help.

import { type Command, Option } from "commander";
import { runAppCreate, runAppList } from "./app-commands.ts";
import { callerOf, examples, readId, type Shell } from "./command-shell.ts";
import { runKeyCreate, runKeyList, runKeyRevoke } from "./key-commands.ts";

export function addApplications(program: Command, shell: Shell): void {
  const app = program
    .command("app")
    .description("create and list applications: groups of monitors with keys of their own")
    .helpCommand(false);
  app
    .command("create")
    .argument("<slug>", "1 to 40 lowercase letters, digits and hyphens")
    .description("create an application")
    .addHelpText("after", examples("rollcall app create prod"))
    .action(async (slug: string, _options, command: Command) =>
      shell.finish(await runAppCreate(callerOf(command, shell), slug)),
    );
  app
    .command("list")
    .description("list applications and how many monitors each has")
    .option("--json", "print JSON")
    .addHelpText("after", examples("rollcall app list", "rollcall app list --json"))
    .action(async ({ json }: { json?: true }, command: Command) =>
      shell.finish(await runAppList(callerOf(command, shell), json === true)),
    );
}

/** It may be named in either way, as all commands take `--app`; null: it was not named. */
function applicationOf(named: string | undefined, command: Command): string | null {
  const { app } = command.opts<{ app?: string }>();
  if (named !== undefined && app !== undefined && named !== app)
    return command.error(`error: two applications are named: ${named} and, with --app, ${app}`);
  return named ?? app ?? null;
}

export function addKeys(program: Command, shell: Shell): void {
  const key = program.command("key").description("create, list and revoke API keys").helpCommand(false);
  key
    .command("create")
    .argument("[app]", "the application's slug (default: the only one)")
    .option("--app <slug>", "the same")
    .description("create an API key and print it once, alone on the first line of stdout")
    .addOption(new Option("--scope <scope>", "what the key may do").choices(["all", "ping", "sync"]).default("all"))
    .addHelpText("after", examples("rollcall key create prod", "rollcall key create prod --scope ping > key"))
    .action(async (app: string | undefined, { scope }: { scope: string }, command: Command) =>
      shell.finish(await runKeyCreate(callerOf(command, shell), applicationOf(app, command), scope)),
    );
  key
    .command("list")
    .argument("[app]", "only the keys of this application")
    .option("--app <slug>", "the same")
    .description("list keys: number, scope, creation, last use; never the keys themselves")
    .option("--json", "print JSON")
    .addHelpText("after", examples("rollcall key list", "rollcall key list prod --json"))
    .action(async (app: string | undefined, { json }: { json?: true }, command: Command) =>
      shell.finish(await runKeyList(callerOf(command, shell), applicationOf(app, command), json === true)),
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
