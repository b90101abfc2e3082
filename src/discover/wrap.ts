// Puts `rollcall run KEY --` around a crontab's command, and finds what is wrapped. Texts hold a byte in a character.

import type { Wrapped } from "./found.ts";

/** These read a word in single quotes alike. */
const SHELLS = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"]);
/** Debian's cron refuses a longer command, and older ones cut it off. Bytes. */
export const COMMAND_MAX = 998;

export const CRON_SHELL = "/bin/sh";

/**
 * Cron gives the command to SHELL. What it wrote there becomes one word in single quotes, and the same shell gets that
 * word. Cron takes back slashes before `%` and before back slashes alone, and what we add has neither, so it makes the
 * same of every letter in between. The first bare `%` ends the command; what follows is its input and stays outside.
 * `blanks`: those before it that Debian's cron counts as its own.
 */
export function wrapCommand(command: string, shell: string, blanks: number, key: string, executable: string): Wrapped {
  if (!/^\/[\w./+-]+$/.test(shell)) return { why: `SHELL is ${JSON.stringify(shell)}, which is no path of a shell` };
  if (!SHELLS.has(shell.slice(shell.lastIndexOf("/") + 1)))
    return { why: `its SHELL is ${shell}, whose quoting differs from that of sh: wrap it by hand` };
  const end = endOfCommand(command);
  const wrapped = callOf(shell, command.slice(0, end).replaceAll("'", "'\\''"), key, executable);
  if ("why" in wrapped) return wrapped;
  const text = wrapped.text + command.slice(end);
  const length = blanks + text.length;
  if (length > COMMAND_MAX) return { why: `wrapped it would be ${length} bytes long, and cron takes ${COMMAND_MAX}` };
  return { text };
}

/**
 * anacron gives the rest of its line to /bin/sh, however long it is. Debian's takes away back slashes first and
 * cronie's does not, so what we add has none.
 */
export const wrapForAnacron = (command: string, key: string, executable: string): Wrapped =>
  callOf(CRON_SHELL, command.replaceAll("'", `'"'"'`), key, executable);

function callOf(shell: string, quoted: string, key: string, executable: string): Wrapped {
  if (!/^[\w./+-]+$/.test(executable))
    return { why: `the path ${JSON.stringify(executable)} cannot stand in a crontab` };
  return { text: `${executable} run ${key} -- ${shell} -c '${quoted}'` };
}

const WRAPPED = /^(.*?[\s])(\/[\w./+-]*rollcall[\w./+-]* run (\S+) (?:--(?:message|output)-from-stderr )*-- )(.*)$/s;
/** What we put there, up to the input of the command: one word in single quotes for a shell. */
const QUOTED = /^\/[\w./+-]+ -c '((?:[^']|'\\''|'"'"')*)'(%.*)?$/s;

/**
 * A line that runs one of these keys, without us. One that was edited beyond what we put there keeps the call of its
 * shell, and means the same without us all the more.
 */
export function unwrapLine(line: string, keys: readonly string[]): string {
  const [, before, , key, rest] = WRAPPED.exec(line) ?? [];
  if (before === undefined || !keys.includes(key!)) return line;
  const [, quoted, input] = QUOTED.exec(rest!) ?? [];
  return before + (quoted === undefined ? rest! : quoted.replaceAll(/'(?:\\'|"'")'/g, "'") + (input ?? ""));
}

/** A line that is wrapped as we do it, whole and under whichever key, without us; null: it is not. */
export function unwrapOurs(line: string): string | null {
  const [, , , key, rest] = WRAPPED.exec(line) ?? [];
  return key !== undefined && QUOTED.test(rest!) ? unwrapLine(line, [key]) : null;
}

/** The place of the first `%` that no back slash precedes, or the length. */
export function endOfCommand(command: string): number {
  for (let place = 0; place < command.length; place++) {
    if (command[place] === "\\") place++;
    else if (command[place] === "%") return place;
  }
  return command.length;
}

/** Options of `rollcall run` after which no value stands. */
const FLAGS = new Set(["--lock", "--flush", "--message-from-stderr", "--output-from-stderr", "--help"]);

/** The key under which a command is watched already; null: it is not. */
export function watchedKey(command: string): string | null {
  const [, said] = /(?:^|[\s;&|('"])(?:[\w.+-]*\/)*rollcall[\w.-]*\s+run\s+(.*)$/s.exec(command) ?? [];
  const words = said?.match(/(?:"[^"]*"|'[^']*'|[^\s;&|'"])+(?=\s)/g) ?? [];
  let place = 0;
  while (words[place]?.startsWith("--")) place += FLAGS.has(words[place]!) || words[place]!.includes("=") ? 1 : 2;
  return words[place] ?? null;
}

/** It is `rollcall run --flush`, which is no job. */
export const isFlush = (command: string): boolean => /\brollcall[\w.-]*\s+run\s+--flush\b/.test(command);
