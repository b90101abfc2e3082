// Puts `rollcall run KEY --` before the command of a crontab's line, finds commands that are wrapped, and unwraps them.
// Texts have one character for each byte.

import type { Wrapped } from "./found.ts";

/** The shells that all read a word in single quotes in the same way. */
const SHELLS = new Set(["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"]);
/** How many bytes a command in a crontab may have. Debian's cron refuses longer ones; older versions cut them off. */
export const COMMAND_MAX = 998;

export const CRON_SHELL = "/bin/sh";

/**
 * Wraps a command of a crontab: it becomes one word in single quotes, which `rollcall run` gives to the same shell.
 * Text after the first `%` without a backslash is the command's input, and stays outside. What we add has no pair of
 * characters that cron would change, such as a backslash before `%`. Debian's cron counts some blanks before the
 * command in the command's length; `blanks` is their number.
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
 * Wraps a command of anacron, which gives the rest of its line to /bin/sh, however long that is. Debian's anacron
 * removes backslashes first and cronie's does not, so the words that we add have none.
 */
export const wrapForAnacron = (command: string, key: string, executable: string): Wrapped =>
  callOf(CRON_SHELL, command.replaceAll("'", `'"'"'`), key, executable);

function callOf(shell: string, quoted: string, key: string, executable: string): Wrapped {
  if (!/^[\w./+-]+$/.test(executable))
    return { why: `the path ${JSON.stringify(executable)} cannot stand in a crontab` };
  return { text: `${executable} run ${key} -- ${shell} -c '${quoted}'` };
}

const WRAPPED = /^(.*?[\s])(\/[\w./+-]*rollcall[\w./+-]* run (\S+) (?:--(?:message|output)-from-stderr )*-- )(.*)$/s;
/**
 * Matches what we write behind `--`: a shell, `-c`, the command as one word in single quotes, and perhaps the command's
 * input.
 */
const QUOTED = /^\/[\w./+-]+ -c '((?:[^']|'\\''|'"'"')*)'(%.*)?$/s;

/**
 * Unwraps a line that has `rollcall run` with one of these keys; any other line is returned as it is. If the part
 * behind `--` was edited, only `rollcall run KEY --` is removed, and the line still runs the same command.
 */
export function unwrapLine(line: string, keys: readonly string[]): string {
  const [, before, , key, rest] = WRAPPED.exec(line) ?? [];
  if (before === undefined || !keys.includes(key!)) return line;
  const [, quoted, input] = QUOTED.exec(rest!) ?? [];
  return before + (quoted === undefined ? rest! : quoted.replaceAll(/'(?:\\'|"'")'/g, "'") + (input ?? ""));
}

/** Unwraps a line that is completely in our form, whatever its key; `null` when it is not. */
export function unwrapOurs(line: string): string | null {
  const [, , , key, rest] = WRAPPED.exec(line) ?? [];
  return key !== undefined && QUOTED.test(rest!) ? unwrapLine(line, [key]) : null;
}

/** The index of the first `%` that has no backslash before it, or the length of the command when there is none. */
export function endOfCommand(command: string): number {
  for (let place = 0; place < command.length; place++) {
    if (command[place] === "\\") place++;
    else if (command[place] === "%") return place;
  }
  return command.length;
}

/** The options of `rollcall run` that take no value. */
const FLAGS = new Set(["--lock", "--flush", "--message-from-stderr", "--output-from-stderr", "--help"]);

/** The key in a command that is already wrapped; `null` when it is not wrapped. */
export function watchedKey(command: string): string | null {
  const [, said] = /(?:^|[\s;&|('"])(?:[\w.+-]*\/)*rollcall[\w.-]*\s+run\s+(.*)$/s.exec(command) ?? [];
  const words = said?.match(/(?:"[^"]*"|'[^']*'|[^\s;&|'"])+(?=\s)/g) ?? [];
  let place = 0;
  while (words[place]?.startsWith("--")) place += FLAGS.has(words[place]!) || words[place]!.includes("=") ? 1 : 2;
  return words[place] ?? null;
}

/** Whether the command is `rollcall run --flush`, which only sends reports that wait and is no job. */
export const isFlush = (command: string): boolean => /\brollcall[\w.-]*\s+run\s+--flush\b/.test(command);
