// Readable keys for jobs: from the name of the script that a command runs, made unique by who runs it and where.

import type { Found } from "./found.ts";

/** Long enough to be read, short enough for a column. Characters. */
const STEM_MAX = 60;

/** Of a command; a user may write endless ones. Characters. */
const READ_MAX = 4_000;

/** Programs that only start another one: how many words before it are their own, and which options have a word. */
const STARTERS: ReadonlyMap<string, readonly [own: number, withWord: string]> = new Map([
  ...["chronic", "cronic", "nohup", "time", "exec", "setsid", "command", "systemd-inhibit", "unbuffer"].map(plain),
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
  ["flock", [1, "-w -E"]],
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

function plain(name: string): [string, readonly [number, string]] {
  return [name, [0, ""]];
}

/** The word after such an option is a script for a shell. */
const TAKES_SCRIPT = /^(?:(?:sh|bash|dash|ash|ksh|zsh) -[a-zA-Z]*c[a-zA-Z]*|(?:su|runuser|flock) (?:-c|--command))$/;
/** The word after such an option is a program without a name. */
const TAKES_CODE = /^(?:python -c|perl -[a-zA-Z]*[eE]|php -r|ruby -e|(?:node|bun) (?:-e|-p|--eval|--print))$/;

/** The name of what a command runs: `/usr/local/bin/backup.sh --full` is `backup`. Never empty. */
export function stemOf(command: string): string {
  const periodic = /\brun-parts\b.*?\/etc\/(cron\.\w+)/.exec(command)?.[1];
  return cleaned(periodic === undefined ? nameIn(command.slice(0, READ_MAX)) : periodic.replace(".", "-")) || "job";
}

/** Guards, changes of directory and assignments say nothing about the job. */
function nameIn(script: string): string {
  const parts = partsOf(script).map((words) => words.slice(words.findIndex((word) => !/^\w+=/.test(word)) >>> 0));
  const isAside = (words: readonly string[]): boolean =>
    /^(?:(?:\[|\[\[|test|cd|pushd|if|elif|while|until|for|case|fi|done|esac|\.|source|export|set|unset|ulimit|umask|trap|wait|echo|sleep|exit|true|false|:)(?: |$)|perl -e |$)/.test(
      words.join(" "),
    );
  return programName(parts.find((words) => !isAside(words)) ?? parts.find((words) => words.length > 0) ?? []);
}

function programName(words: readonly string[]): string {
  const given = words.findIndex((word) => !/^\w+=/.test(word));
  if (given < 0) return "";
  const rest = words.slice(given);
  const program = baseName(rest[0]!);
  const bare = program.replace(/(?<=\D)[\d.]+$/, "");
  const pair = `${bare} ${rest[1]}`;
  const starter = STARTERS.get(pair) ?? STARTERS.get(bare);
  // Of su the option may follow the user.
  let place = bare === "su" ? rest.findIndex((word) => TAKES_SCRIPT.test(`su ${word}`)) : 1;
  if (starter === undefined && !(place > 1)) return withVerb(rest);
  const [own, withWord] = starter ?? [0, ""];
  if (STARTERS.has(pair)) place++;
  let left = own;
  for (; place < rest.length; place++) {
    const word = rest[place]!;
    const next = rest[place + 1];
    const option = `${bare} ${word}`;
    if (TAKES_SCRIPT.test(option)) return (next !== undefined && nameIn(next)) || program;
    if (TAKES_CODE.test(option)) return program;
    if (option === "python -m" && next !== undefined) return withVerb(rest.slice(place + 1));
    if (withWord.split(" ").includes(word)) place++;
    else if (!/^[-+]./.test(word) && word !== "-" && left-- === 0) return programName(rest.slice(place)) || program;
  }
  return program;
}

/** `certbot -q renew` does another thing than `certbot -q delete`, and a script is one thing. */
function withVerb([program = "", ...words]: readonly string[]): string {
  const name = cleaned(baseName(program));
  const after = words.find((word) => !word.startsWith("-")) ?? "";
  return /^[a-z][a-z0-9:_-]*$/.test(after) && !hasExtension(program) ? `${name}-${after}` : name;
}

/** The words of each simple command of a script, without what is between them and where they read and write. */
function partsOf(script: string): string[][] {
  const parts: string[][] = [[]];
  let isTarget = false;
  for (const [token] of script.matchAll(TOKEN)) {
    if (/^\d*[<>]/.test(token)) isTarget = !/&[\d-]$/.test(token);
    else if (/^[;&|()\n]/.test(token)) {
      isTarget = false;
      parts.push([]);
    } else if (isTarget) isTarget = false;
    // Words that may stand before a command.
    else if (parts.at(-1)!.length > 0 || !/^(?:then|else|do|!|[{}])$/.test(token)) parts.at(-1)!.push(unquoted(token));
  }
  return parts;
}

const unquoted = (word: string): string =>
  word.replaceAll(
    /'([^']*)'|"((?:\\.|[^"\\])*)"/gs,
    (_, single?: string, double = "") => single ?? double.replaceAll(/\\(["\\$`])/g, "$1"),
  );

/** A redirection, what separates commands, or a word. */
const TOKEN = /\d*[<>]+(?:&[\d-]|[&|])?|&&|\|\||[;&|()\n]|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\;&|()<>])+|["'\\]/gs;

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const hasExtension = (path: string): boolean => EXTENSION.test(path) && !/(?:^|\/)manage\.py$/.test(path);

const EXTENSION = /\.(?:sh|bash|py|pl|php|rb|js|ts|jar)$/;

/** Only what stands in a key without quoting anywhere. */
export function cleaned(text: string): string {
  const name = text
    .replace(EXTENSION, "")
    .replace(/\.service$/, "")
    .toLowerCase();
  return name
    .replaceAll(/[^a-z0-9._]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, STEM_MAX);
}

/**
 * A key for each, in their order: that under which it is watched; else prefix and stem, with the first surname that
 * makes it unique, with all of them, or with a number. Which key a job gets depends on the jobs of its stem alone.
 */
export function keysFor(jobs: readonly Found[], prefix: string): readonly string[] {
  const taken = new Set(jobs.flatMap(({ watchedAs }) => watchedAs ?? []));
  const base = (job: Found): string => `${prefix}${job.stem}`;
  const open = jobs.filter(({ watchedAs }) => watchedAs === null);
  const named = new Map<Found, string>();
  const numbered = numberer(taken);
  for (const group of Map.groupBy(open, base).values()) {
    // How many jobs of the group could have each name.
    const shared = new Map<string, number>();
    for (const job of group)
      for (const name of new Set(namesOf(job, prefix))) shared.set(name, (shared.get(name) ?? 0) + 1);
    for (const job of group) {
      const candidates = [base(job), ...namesOf(job, prefix)];
      const isAlone = (key: string, place: number): boolean =>
        !taken.has(key) && (place > 0 || group.length === 1) && (place === 0 || shared.get(key) === 1);
      const found = candidates.find(isAlone) ?? numbered(candidates.at(-1)!);
      taken.add(found);
      named.set(job, found);
    }
  }
  return jobs.map((job) => job.watchedAs ?? named.get(job)!);
}

const namesOf = ({ stem, surnames }: Found, prefix: string): readonly string[] => [
  ...surnames.map((name) => `${prefix}${stem}-${cleaned(name)}`),
  [`${prefix}${stem}`, ...surnames.map(cleaned)].join("-"),
];

/** Gives a key the first number with which it is not taken, and remembers how far it has looked. */
function numberer(taken: ReadonlySet<string>): (key: string) => string {
  const next = new Map<string, number>();
  return (key) => {
    if (!taken.has(key)) return key;
    let number = next.get(key) ?? 2;
    while (taken.has(`${key}-${number}`)) number++;
    next.set(key, number + 1);
    return `${key}-${number}`;
  };
}
