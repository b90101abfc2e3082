// Puts `rollcall run KEY --` around the command of a crontab's line, so that cron and the shell make the same of it as
// before; and finds what is wrapped already. Texts hold a byte in each character.

import type { Wrapped } from "./found.ts";

/** These read a word in single quotes alike. */
const SHELLS = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"]);
/** Debian's cron refuses a longer command. Bytes. */
const COMMAND_MAX = 998;

/** The shell that cron takes where SHELL is not set. */
export const CRON_SHELL = "/bin/sh";

export interface CronCommand {
  /** As it stands in the crontab. */
  readonly command: string;
  readonly shell: string;
}

/**
 * Cron gives the command to SHELL. What it wrote there becomes one word in single quotes, and the same shell gets that
 * word. Cron takes back slashes before `%` and before back slashes alone, and what we add has neither, so it makes the
 * same of every letter in between. The first bare `%` ends the command; what follows is its input and stays outside.
 */
export function wrapCommand({ command, shell }: CronCommand, key: string, executable: string): Wrapped {
  if (!/^\/[\w./+-]+$/.test(shell)) return { why: `SHELL is ${JSON.stringify(shell)}, which is no path of a shell` };
  if (!SHELLS.has(shell.slice(shell.lastIndexOf("/") + 1)))
    return { why: `its SHELL is ${shell}, whose quoting differs from that of sh: wrap it by hand` };
  if (!/^[\w./+-]+$/.test(executable))
    return { why: `the path ${JSON.stringify(executable)} cannot stand in a crontab` };
  const end = endOfCommand(command);
  const quoted = `'${command.slice(0, end).replaceAll("'", "'\\''")}'`;
  const text = `${executable} run ${key} -- ${shell} -c ${quoted}${command.slice(end)}`;
  if (text.length > COMMAND_MAX)
    return { why: `wrapped it would be ${text.length} bytes long, and cron takes ${COMMAND_MAX}` };
  return { text };
}

/** The place of the first `%` that no back slash precedes, or the length. */
export function endOfCommand(command: string): number {
  for (let place = 0; place < command.length; place++) {
    if (command[place] === "\\") place++;
    else if (command[place] === "%") return place;
  }
  return command.length;
}

/** The key under which a command is watched already; null: it is not. */
export function watchedKey(command: string): string | null {
  const [, key] = /(?:^|[\s;&|('"])(?:[\w.+-]*\/)*rollcall[\w.-]*\s+run\s+(?!-)([^\s;&|'"]+)\s/.exec(command) ?? [];
  return key ?? null;
}

/** It tells rollcall by itself, as with curl. */
export const reportsItself = (command: string): boolean => /\/(?:api\/v1\/)?ping\/[^\s]+/.test(command);
