// Sorts the commands into groups by what people want to do, as `rollcall help all` shows them.

import { type Command, Help } from "commander";

export const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Begin: ["setup", "serve", "discover", "import", "run"],
  Look: ["status", "why", "incident", "monitor"],
  Act: ["maintenance", "notify", "replay", "advise"],
  "Set up": [
    ...["init", "config", "systemd-unit", "app", "key", "address", "destination", "member"],
    ...["status-page", "user", "admin-key", "mail-in", "mcp", "completion"],
  ],
  Operate: ["reload", "backup", "backups", "restore", "audit", "version", "help"],
};

const FIRST_SCREEN: readonly string[] = ["Begin", "Look"].flatMap((heading) => COMMAND_GROUPS[heading]!);

/** Puts the commands into their groups. Help shows only those of the first two groups, until `showAll` is called. */
export function groupCommands(program: Command): { readonly showAll: () => void } {
  const order = Object.values(COMMAND_GROUPS).flat();
  for (const [heading, names] of Object.entries(COMMAND_GROUPS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(`${heading}:`);
  // Commander lists groups in the order of their first commands.
  (program.commands as Command[]).sort((a, b) => order.indexOf(a.name()) - order.indexOf(b.name()));
  const help = new Help();
  let isWhole = false;
  const isShown = (command: Command): boolean =>
    isWhole || command.parent !== program || FIRST_SCREEN.includes(command.name());
  program
    .configureHelp({
      ...program.configureHelp(),
      visibleCommands: (command) => help.visibleCommands(command).filter(isShown),
    })
    .addHelpText("after", () =>
      isWhole ? "" : `\`rollcall help all\` lists all ${order.length} commands, by what they are for.`,
    );
  return {
    showAll: () => {
      isWhole = true;
    },
  };
}
