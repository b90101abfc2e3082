// The part of the command table about what came in beside accepted reports: refused reports and bulk
// syncs. Arguments, options, help.

import type { Command } from "commander";
import { callerOf, examples, limitOption, listedApp, type Shell } from "./command-shell.ts";
import { runRefusedList } from "./refused-commands.ts";
import { runSyncList } from "./sync-commands.ts";

interface ListOptions {
  readonly app?: string;
  readonly limit?: number;
  readonly json?: true;
}

const LIMIT_DEFAULT = 20;

const filterOf = ({ app, limit }: ListOptions) => ({ application: app ?? null, limit: limit ?? LIMIT_DEFAULT });

/** A list of the newest, of all applications or of one. */
const listIn = (group: Command, description: string): Command =>
  group
    .command("list")
    .description(description)
    .addOption(listedApp())
    .addOption(limitOption("", LIMIT_DEFAULT))
    .option("--json", "print JSON");

export function addSyncs(program: Command, shell: Shell): void {
  const sync = program.command("sync").description("see what bulk syncs changed").helpCommand(false);
  listIn(sync, "list bulk syncs: who sent them, what each changed, and what it withheld and why; the newest first")
    .addHelpText(
      "after",
      `
Syncs of a source that repeat the one before and change nothing stand in one
line. The newest 500 of an application are kept, for 90 days.
${examples("rollcall sync list", "rollcall sync list --app prod --limit 100", "rollcall sync list --json")}`,
    )
    .action(async (options: ListOptions, command: Command) =>
      shell.finish(await runSyncList(callerOf(command, shell), filterOf(options), options.json === true)),
    );
}

export function addRefused(program: Command, shell: Shell): void {
  const refused = program.command("refused").description("see which reports were refused, and why").helpCommand(false);
  listIn(refused, "list reports with a valid key that were refused, by monitor and reason; the newest first")
    .addHelpText(
      "after",
      `
What a report is refused for: an invalid schedule or parameter, a monitor that
does not exist and no schedule to make it, a body that is too large, no room in
the plan, a key of another scope, a path that does not exist. What a rate limit
refuses is told in notices. The newest 500 of an application are kept, for 90
days.
${examples("rollcall refused list", "rollcall refused list --app prod --limit 100", "rollcall refused list --json")}`,
    )
    .action(async (options: ListOptions, command: Command) =>
      shell.finish(await runRefusedList(callerOf(command, shell), filterOf(options), options.json === true)),
    );
}
