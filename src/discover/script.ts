// Reads a command as a shell does, and says what each simple command in it is for: the job itself, or something around
// it, such as a question whether to run the job.

import type { AndOr, Command, CommandNode, CompoundList, PipelineNode, Script, Statement, Word } from "unbash";
import { parse } from "unbash";

export type ShellNode = PipelineNode | AndOr;

/** Parses a text, also an incorrect command, as far as possible. Returns `null` when nothing can be read. */
export function parseScript(text: string): Script | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** The words of a command, without redirections and without assignments before it. */
export const commandWords = (command: Command): readonly Word[] => [
  ...(command.name === undefined ? [] : [command.name]),
  ...command.args.filter((word) => word.type === "Word"),
];

export const wordValues = (command: Command): readonly string[] => commandWords(command).map(({ value }) => value);

export const commandsIn = (script: Script | CompoundList): readonly Command[] =>
  script.commands.flatMap(({ command }) => commandsUnder(command));

/**
 * The simple commands in a node, in their order. A command whose output becomes a word of another, such as `date` in
 * `echo $(date)`, is left out.
 */
export function commandsUnder(node: ShellNode): readonly Command[] {
  switch (node.type) {
    case "Command":
      return [node];
    case "AndOr":
    case "Pipeline":
      return node.commands.flatMap(commandsUnder);
    case "Redirected":
      return commandsUnder(node.command);
    case "If": {
      const otherwise = node.else === undefined ? [] : commandsIn(node.else);
      const further = node.elif.flatMap((one) => [...commandsIn(one.clause), ...commandsIn(one.then)]);
      return [...commandsIn(node.clause), ...commandsIn(node.then), ...further, ...otherwise];
    }
    case "While":
      return [...commandsIn(node.clause), ...commandsIn(node.body)];
    case "Case":
      return node.items.flatMap(({ body }) => commandsIn(body));
    case "Subshell":
    case "BraceGroup":
    case "For":
    case "ArithmeticFor":
    case "Select":
      return commandsIn(node.body);
    default:
      return [];
  }
}

/**
 * The programs that only start another command. `own` is how many words before that command belong to the program
 * itself, and `withWord` lists its options that take a word.
 */
const STARTERS: ReadonlyMap<string, readonly [own: number, withWord: string]> = new Map([
  ...["chronic", "cronic", "nohup", "time", "exec", "setsid", "command", "systemd-inhibit", "unbuffer"].map(
    plainCommand,
  ),
  ...["run-one", "run-this-one", "keep-one-running", "builtin", "eatmydata", "caffeinate"].map(plainCommand),
  ["env", [0, "-u -C"]],
  ["nice", [0, "-n"]],
  ["ionice", [0, "-c -n -p"]],
  ["chrt", [1, "-T -P -D"]],
  ["taskset", [1, ""]],
  ["stdbuf", [0, "-i -o -e"]],
  ["sudo", [0, "-u -g -D -h"]],
  ["doas", [0, "-u -C"]],
  ["runuser", [0, "-u -g -G"]],
  ["xargs", [0, "-a -d -E -I -L -n -P -s"]],
  ["systemd-cat", [0, "-t -p"]],
  ["timeout", [1, "-k -s"]],
  ["flock", [1, "-w -E --timeout --wait --conflict-exit-code"]],
  ["setlock", [1, ""]],
  ["lckdo", [1, "-W"]],
  ["softlimit", [0, "-a -c -d -f -l -m -n -o -p -r -s -t"]],
  ["setpriv", [0, ""]],
  ["chpst", [0, "-u -U -e -/ -C -n -l -L -P"]],
  ["gosu", [1, ""]],
  ["su-exec", [1, ""]],
  ...["fakeroot", "dbus-run-session", "xvfb-run", "pipenv run", "npx", "rbenv exec", "doppler run", "op run"].map(
    plainCommand,
  ),
  ["chroot", [1, ""]],
  ["envdir", [1, ""]],
  ["direnv exec", [1, ""]],
  ["conda run", [0, "-n -p"]],
  ["nsenter", [0, "-t"]],
  ["lxc exec", [1, ""]],
  ["incus exec", [1, ""]],
  ["pct exec", [1, ""]],
  ["kubectl exec", [1, "-n -c --namespace --container"]],
  ["docker-compose exec", [1, "-e -u -w --env --user --workdir"]],
  ["bundle exec", [0, ""]],
  ["poetry run", [0, ""]],
  ["uv run", [0, ""]],
  ["docker exec", [1, "-e -u -w --env --user --workdir"]],
  ["podman exec", [1, "-e -u -w --env --user --workdir"]],
  ["java", [0, "-cp -classpath -p"]],
  ["python", [0, "-W -X"]],
  ["perl", [0, "-I"]],
  ["php", [0, "-d -c"]],
  ["ruby", [0, "-I -r"]],
  ["node", [0, "-r --require"]],
  ["bun", [0, ""]],
  ...["sh", "bash", "dash", "ash", "ksh", "zsh"].map((name) => [name, [0, "-o +o -O --rcfile"]] as const),
]);

function plainCommand(name: string): [string, readonly [number, string]] {
  return [name, [0, ""]];
}

/** Matches a program with an option after which the next word is a script for a shell. */
const TAKES_SCRIPT = /^(?:(?:sh|bash|dash|ash|ksh|zsh) -[a-zA-Z]*c[a-zA-Z]*|(?:su|runuser|flock) (?:-c|--command))$/;
/** Matches a program with an option after which the next word is code in another language than the shell's. */
const TAKES_CODE = /^(?:python -c|perl -[a-zA-Z]*[eE]|php -r|ruby -e|(?:node|bun) (?:-e|-p|--eval|--print))$/;

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The name of a program without its version: `python3.12` counts as `python`. */
const programKind = (word: string): string => baseName(word).replace(/(?<=\D)[\d.]+$/, "");

/**
 * What a program starts: a command or module whose name is the word at index `at`, a script that is this word, or code
 * in another language.
 */
export type StartedWord =
  | { readonly is: "command" | "script" | "module"; readonly at: number }
  | { readonly is: "code" };

/** Finds out what the program `words[0]` starts; `null` when it starts nothing, or its words do not name it. */
export function startedByProgram(words: readonly string[]): StartedWord | null {
  const program = programKind(words[0] ?? "");
  const pair = `${program} ${words[1]}`;
  const starter = STARTERS.get(pair) ?? STARTERS.get(program);
  // For su, the option with the script may come after the user.
  let place = program === "su" ? words.findIndex((word) => TAKES_SCRIPT.test(`su ${word}`)) : 1;
  if (starter === undefined && !(place > 0 && program === "su")) return null;
  const [own, withWord] = starter ?? [0, ""];
  if (STARTERS.has(pair)) place++;
  let left = own;
  for (; place < words.length; place++) {
    const word = words[place]!;
    const option = `${program} ${word}`;
    const hasNext = words[place + 1] !== undefined;
    if (TAKES_SCRIPT.test(option)) return hasNext ? { is: "script", at: place + 1 } : null;
    if (TAKES_CODE.test(option)) return { is: "code" };
    if (option === "python -m" && hasNext) return { is: "module", at: place + 1 };
    if (withWord.split(" ").includes(word)) place++;
    else if (!/^[-+]./.test(word) && word !== "-" && !isAssignment(word) && left-- === 0)
      return { is: "command", at: place };
  }
  return null;
}

export const isStarter = (program: string): boolean =>
  STARTERS.has(programKind(program)) || programKind(program) === "su";

const isAssignment = (word: string): boolean => /^\w+=/.test(word);

/** Commands that only ask something, by which a line decides whether its job runs. */
const ASKING = new Set([
  ...["[", "[[", "test", "expr", "let", "which", "type", "hash", "pgrep", "pidof", "mountpoint", "findmnt", "ping"],
  ...["ping6", "fping", "arping", "nc", "ncat", "on_ac_power", "ischroot", "getent", "cmp", "runlevel", "tty"],
  ...[
    "id",
    "groups",
    "ls",
    "stat",
    "lsof",
    "fuser",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "host",
    "nslookup",
    "dig",
    "blkid",
  ],
  ...["pg_isready", "lockfile", "lockfile-create", "dotlockfile", "iwgetid"],
]);
const ASKING_WITH = [
  /^command -[vV]\b/,
  /^systemctl (?:-\S+ )*(?:is-\w+|status)\b/,
  /^diff (?:.* )?-\w*q/,
  /^git (?:.* )?diff(?:-\w+)? (?:.* )?(?:-q|--quiet|--exit-code)\b/,
  /^git (?:.* )?(?:rev-parse|ls-remote|show-ref)\b/,
  // Matches `mkdir` without -p. It fails if the directory exists, so people use it as a lock.
  /^mkdir (?!(?:.* )?(?:-\w*p|--parents))/,
  // Matches `flock` with a number: it then locks a file that is already open, and starts nothing.
  /^flock (?:-\S+ |(?<=-[wE] )\d+ )*\d+$/,
  /^(?:dpkg -[sl]|dpkg-query -W|rpm -q|apk info -e|pacman -Q)\b/,
  /^(?:docker|podman) (?:inspect|(?:container|image|volume|network) inspect|top)\b/,
  /^(?:zpool|zfs) list\b/,
  /^(?:mysqladmin|redis-cli|mariadb-admin) (?:.* )?ping\b/i,
  /^(?:tmux has-session|screen -(?:ls|list))\b/,
  /^wget (?:.* )?--spider\b/,
  /^curl (?:.* )?(?:-\w*I|--head)\b/,
  /^(?:ip (?:.* )?(?:show|get)|ifconfig [\w.]+$)\b/,
  /^(?:is|has|should|needs)[-_]\w/,
];

export const isAsking = (words: readonly string[]): boolean =>
  ASKING.has(baseName(words[0] ?? "")) ||
  ASKING_WITH.some((form) => form.test([baseName(words[0] ?? ""), ...words.slice(1)].join(" ")));

/** Commands that only print what a later command of the pipe searches, as in `ps | grep job`. */
const LOOKING = new Set([
  ...[
    "ps",
    "df",
    "du",
    "free",
    "who",
    "w",
    "users",
    "uptime",
    "ip",
    "ss",
    "netstat",
    "mount",
    "crontab",
    "uname",
    "tail",
  ],
  ...["head", "wc", "awk", "sed", "tr", "cut", "sort", "uniq", "find", "docker", "virsh", "systemctl", "last"],
]);
export const shellCommandOnlyLooks = (words: readonly string[]): boolean =>
  LOOKING.has(baseName(words[0] ?? "")) || isAsking(words) || isFeeding(words);

/** Commands that prepare for the commands after them. Their own exit status does not matter. */
const PREPARING = new Set([
  ...["cd", "pushd", "popd", ".", "source", "export", "set", "unset", "ulimit", "umask", "trap", "sleep", "shopt"],
  ...["mkdir", "renice", "ionice", "alias", "declare", "readonly", "local", "read", "keychain"],
]);

export function isPreparing(words: readonly string[]): boolean {
  const [first] = words;
  if (first === undefined) return true;
  if (first === "mkdir") return !isAsking(words);
  if (first === "eval")
    return /^\$\((?:ssh-agent|keychain|dircolors)\b|^`(?:ssh-agent|keychain)\b/.test(words[1] ?? "");
  if (PREPARING.has(baseName(first))) return true;
  // `exec > log` only redirects, and `perl -e 'sleep …'` only waits.
  return (first === "exec" && words.length === 1) || (programKind(first) === "perl" && /^sleep\b/.test(words[2] ?? ""));
}

/** Commands that only give the next command of a pipe something to read. */
const FEEDING = new Set(["echo", "printf", "yes", "cat", "date", "seq", "hostname", "true"]);
export const isFeeding = (words: readonly string[]): boolean => FEEDING.has(baseName(words[0] ?? ""));

/** Whether a command does nothing and ends with 0. */
export const isNothing = (words: readonly string[]): boolean =>
  /^(?:true|:|\/bin\/true|\/usr\/bin\/true|exit 0)$/.test(words.join(" "));

export const isLoop = ({ type }: ShellNode): boolean => ["For", "ArithmeticFor", "While", "Select"].includes(type);

export const withoutRedirects = (node: CommandNode): Exclude<CommandNode, { type: "Redirected" }> =>
  node.type === "Redirected" ? node.command : node;

export type { Command, CommandNode, Script, Statement, Word };
