// Proposes readable keys for jobs. A key has the name of the script that the command runs. Another name, such as that
// of the user, is added where that makes the key unique.

import type { Found } from "./found.ts";
import {
  baseName,
  commandsIn,
  isAsking,
  isFeeding,
  isNothing,
  isPreparing,
  isStarter,
  parseScript,
  startedByProgram,
  wordValues,
} from "./script.ts";

/** How many characters of a script's name are used in a key: enough to be recognized, few enough for a column. */
const STEM_MAX = 60;

/** How many characters of a command are read, because a user may have written a very long one. */
const READ_MAX = 4_000;

/** The name of what a command runs: `/usr/local/bin/backup.sh --full` gives `backup`. It is never empty. */
export function stemOf(command: string): string {
  const periodic = /\brun-parts\b.*?\/etc\/(cron\.\w+)/.exec(command)?.[1];
  return (
    proposedKeyText(periodic === undefined ? programNameIn(command.slice(0, READ_MAX)) : periodic.replace(".", "-")) ||
    "job"
  );
}

/** Finds the program that names the job. Commands that ask, prepare or feed a pipe count only if no other is there. */
function programNameIn(script: string): string {
  const parsed = parseScript(script);
  const all = (parsed === null ? [] : commandsIn(parsed)).map(wordValues).filter((words) => words.length > 0);
  const isAside = (words: readonly string[]): boolean =>
    isAsking(words) || isPreparing(words) || isFeeding(words) || isNothing(words) || isEnding(words);
  return programName(all.find((words) => !isAside(words)) ?? all[0] ?? []);
}

const isEnding = ([first = ""]: readonly string[]): boolean => /^(?:wait|exit|false|return|break)$/.test(first);

function programName(words: readonly string[]): string {
  const [first = ""] = words;
  const started = startedByProgram(words);
  const program = baseName(first);
  if (started === null) return isStarter(first) ? program : withVerb(words);
  if (started.is === "code") return program;
  const inner = words.slice(started.at);
  if (started.is === "script") return programNameIn(inner[0]!) || program;
  return (started.is === "module" ? withVerb(inner) : programName(inner)) || program;
}

/**
 * Adds the first word after the program's name, because `certbot renew` does something else than `certbot delete`. A
 * script with an extension such as `.sh` does only one thing, so no word is added.
 */
function withVerb([program = "", ...words]: readonly string[]): string {
  const name = proposedKeyText(baseName(program));
  const after = words.find((word) => !word.startsWith("-")) ?? "";
  return /^[a-z][a-z0-9:_-]*$/.test(after) && !hasExtension(program) ? `${name}-${after}` : name;
}

const hasExtension = (path: string): boolean => EXTENSION.test(path) && !/(?:^|\/)manage\.py$/.test(path);

const EXTENSION = /\.(?:sh|bash|py|pl|php|rb|js|ts|jar)$/;

/** Replaces all characters that would need quoting somewhere by hyphens. */
export function proposedKeyText(text: string): string {
  const name = text
    // A letter with an accent becomes the plain letter instead of a hyphen.
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .replace(EXTENSION, "")
    .replace(/\.service$/, "")
    .toLowerCase();
  return name
    .replaceAll(/[^a-z0-9._]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, STEM_MAX);
}

/**
 * Returns a key for each job, in the order of the jobs. A job that is already watched keeps its key. Any other job gets
 * the prefix and its stem, then as much as makes the key unique: one of its surnames, all of them, or a number. Only
 * jobs of one stem are compared, so that a new job changes no key with another stem.
 */
export function proposedKeys(jobs: readonly Found[], prefix: string): readonly string[] {
  const taken = new Set(jobs.flatMap(({ watchedAs }) => watchedAs ?? []));
  const base = (job: Found): string => `${prefix}${job.stem}`;
  const open = jobs.filter(({ watchedAs }) => watchedAs === null);
  const named = new Map<Found, string>();
  const numbered = numberer(taken);
  for (const group of Map.groupBy(open, base).values()) {
    // For each possible name, how many of the jobs with this stem could get it.
    const shared = new Map<string, number>();
    for (const job of group)
      for (const name of new Set(proposedNames(job, prefix))) shared.set(name, (shared.get(name) ?? 0) + 1);
    for (const job of group) {
      const candidates = [base(job), ...proposedNames(job, prefix)];
      const isAlone = (key: string, place: number): boolean =>
        !taken.has(key) && (place > 0 || group.length === 1) && (place === 0 || shared.get(key) === 1);
      const found = candidates.find(isAlone) ?? numbered(candidates.at(-1)!);
      taken.add(found);
      named.set(job, found);
    }
  }
  return jobs.map((job) => job.watchedAs ?? named.get(job)!);
}

const proposedNames = ({ stem, surnames }: Found, prefix: string): readonly string[] => [
  ...surnames.map((name) => `${prefix}${stem}-${proposedKeyText(name)}`),
  [`${prefix}${stem}`, ...surnames.map(proposedKeyText)].join("-"),
];

/** Makes a function that adds a number to a key that is taken: the first from 2 on with which the key is free. */
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
