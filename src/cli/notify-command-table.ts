// The part of the command table about destinations and deliveries: arguments, options, help.

import type { Command } from "commander";
import { callerOf, examples, limitOption, listedApp, readId, type Shell } from "./command-shell.ts";
import { runNotifyList, runNotifyResend, runNotifyTest } from "./notify-commands.ts";

interface ListOptions {
  readonly app?: string;
  readonly waiting?: true;
  readonly givenUp?: true;
  readonly sent?: true;
  readonly limit?: number;
  readonly json?: true;
}

/** The states asked for; null: none was named, so all are. */
function statesOf({ waiting, givenUp, sent }: ListOptions): string[] | null {
  const states = [...(waiting ? ["waiting"] : []), ...(givenUp ? ["given_up"] : []), ...(sent ? ["sent"] : [])];
  return states.length === 0 ? null : states;
}

export function addNotify(program: Command, shell: Shell): void {
  const notify = program
    .command("notify")
    .description("test destinations, see what was delivered, send again")
    .helpCommand(false);
  notify
    .command("test")
    .argument("<destination>", "its name in the configuration")
    .description("send a test through a destination now, and print what the receiver answers")
    .addHelpText(
      "after",
      `
It is tried once, for e-mail for each recipient. Exit code 0 says that the
receiver took it.
${examples("rollcall notify test email", "rollcall notify test ops")}`,
    )
    .action(async (destination: string, _options, command: Command) =>
      shell.finish(await runNotifyTest(callerOf(command, shell), destination)),
    );
  notify
    .command("list")
    .description("list what waits, what was given up and what was sent last, the newest first")
    .option("--waiting", "only what waits")
    .option("--given-up", "only what was given up")
    .option("--sent", "only what was sent")
    .addOption(listedApp())
    .addOption(limitOption(" of each", 20))
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      examples(
        "rollcall notify list",
        "rollcall notify list --waiting --given-up",
        "rollcall notify list --app prod --json",
      ),
    )
    .action(async (options: ListOptions, command: Command) => {
      const filter = { states: statesOf(options), application: options.app ?? null, limit: options.limit ?? null };
      shell.finish(await runNotifyList(callerOf(command, shell), filter, options.json === true));
    });
  notify
    .command("resend")
    .argument("<id>", "the delivery's number, as `notify list` shows it", readId)
    .description("send a delivery again that was given up or sent; one that still waits is tried now")
    .addHelpText("after", examples("rollcall notify resend 12"))
    .action(async (id: number, _options, command: Command) =>
      shell.finish(await runNotifyResend(callerOf(command, shell), id)),
    );
}
