// Readable keys for jobs: from the name of the script that a command runs, made unique by who runs it and where it stands.

import type { Found } from "./found.ts";

/** Long enough to be read, short enough for a column. Characters. */
const STEM_MAX = 60;

/** Programs that only start another one: how many words before it are their own, and which options have a word. */
const STARTERS: ReadonlyMap<string, readonly [own: number, withWord: string]> = new Map([
  ...["chronic", "nohup", "time", "exec", "setsid", "command", "systemd-inhibit", "sh", "bash", "dash"].map(plain),
  ...["python", "perl", "php", "ruby", "node", "bun"].map(plain),
  ["env", [0, "-u"]],
  ["nice", [0, "-n"]],
  ["ionice", [0, "-c -n -p"]],
  ["sudo", [0, "-u -g"]],
  ["xargs", [0, "-a -d -E -I -L -n -P -s"]],
  ["systemd-cat", [0, "-t -p"]],
  ["timeout", [1, "-k -s"]],
  ["flock", [1, "-w -E"]],
]);

function plain(name: string): [string, readonly [number, string]] {
  return [name, [0, ""]];
}

/** The name of what a command runs: `/usr/local/bin/backup.sh --full` is `backup`. Never empty. */
export function stemOf(command: string): string {
  const periodic = /\brun-parts\b.*?\/etc\/(cron\.\w+)/.exec(command)?.[1];
  if (periodic !== undefined) return cleaned(periodic.replace(".", "-"));
  const words = wordsOf(mainPart(command));
  const place = programPlace(words);
  const name = cleaned(baseName(words[place] ?? ""));
  const after = words.slice(place + 1).find((word) => !word.startsWith("-")) ?? "";
  const isVerb = /^[a-z][a-z0-9:_-]*$/.test(after) && !hasExtension(words[place] ?? "");
  return cleaned(isVerb ? `${name}-${after}` : name) || "job";
}

/** Guards, changes of directory and assignments say nothing about the job. */
function mainPart(command: string): string {
  const parts = command.split(/&&|\|\||[;|{}\n]/).map((part) => part.trim().replace(/^(?:then|else|do|!)\s+/, ""));
  const isAside =
    /^(?:!?\s*\[|test\b|cd\b|if\b|fi\b|done\b|\.\s|source\b|export\b|set\b|umask\b|sleep\b|perl -e\b|true$|:$|$)/;
  return parts.find((part) => !isAside.test(part)) ?? command;
}

const wordsOf = (text: string): string[] =>
  (text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) => word.replaceAll(/["']/g, ""));

function programPlace(words: readonly string[]): number {
  let place = 0;
  for (;;) {
    while (/^\w+=/.test(words[place] ?? "")) place++;
    const name = baseName(words[place] ?? "");
    const starter = STARTERS.get(name.replace(/[\d.]+$/, ""));
    if (starter === undefined) return Math.min(place, words.length - 1);
    const [own, withWord] = starter;
    let next = place + 1;
    while (words[next]?.startsWith("-")) next += withWord.split(" ").includes(words[next]!) ? 2 : 1;
    next += own;
    if (next >= words.length) return place;
    place = next;
  }
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const hasExtension = (path: string): boolean =>
  /\.(?:sh|bash|py|pl|php|rb|js|ts)$/.test(path) && !/(?:^|\/)manage\.py$/.test(path);

/** Only what stands in a key without quoting anywhere. */
export function cleaned(text: string): string {
  const name = text.replace(/\.(?:sh|bash|py|pl|php|rb|js|ts|service)$/, "").toLowerCase();
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
      const candidates = [base(job), ...job.surnames.map((name) => `${base(job)}-${cleaned(name)}`)];
      candidates.push([base(job), ...job.surnames.map(cleaned)].join("-"));
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
