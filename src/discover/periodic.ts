// Directories of scripts that run daily, weekly and so on: what a line of cron that runs one does here, and the jobs of
// anacron. One monitor stands for a whole directory: a failing script fails it, and its files stay as they are.

import type { Found } from "./found.ts";
import { decoded, type Host } from "./host.ts";
import { stemOf } from "./names.ts";

const DIRECTORY = /\brun-parts\b[^;&|}]*?(\/etc\/cron\.\w+)/;

/** Which scripts a `run-parts` in this command runs. */
export function periodicNotes(command: string, host: Host): readonly string[] {
  const directory = DIRECTORY.exec(command)?.[1];
  if (directory === undefined) return [];
  const scripts = host.names(directory).filter((name) => /^[A-Za-z0-9_-]+$/.test(name));
  if (scripts.length === 0) return [`It runs ${directory}, which is empty.`];
  return [`It runs ${directory} as one job, and fails if one of these does: ${scripts.join(", ")}.`];
}

/**
 * Why this command does nothing on this machine, by what it asks first: packages leave their work to systemd or anacron
 * where there are such. Null: it works.
 */
export function idleHere(command: string, host: Host, systemd: boolean): string | null {
  if (/\/run\/systemd\/system\b/.test(command) && systemd)
    return "it does nothing while systemd runs: a timer does its work";
  const [, path, joined] = /^(?:\/usr\/bin\/)?(?:test|\[) +-[xef] +(\S+?) *(?:\])? *(&&|\|\|)/.exec(command) ?? [];
  if (path === undefined || !path.startsWith("/")) return null;
  const isThere = host.facts(path) !== null;
  if (joined === "||" && isThere) {
    const instead = path.endsWith("/anacron") ? "anacron does its work" : "it looks for that first";
    return `it does nothing because there is ${path}: ${instead}`;
  }
  return joined === "&&" && !isThere ? `it does nothing because there is no ${path}` : null;
}

/** The jobs of `/etc/anacrontab`: it says how often, and never when. */
export function findAnacronJobs(host: Host): Found[] {
  const text = host.read("/etc/anacrontab");
  if (text === null) return [];
  return text.split("\n").flatMap((line, number) => {
    const [, period, delay, name, command] = /^\s*(@\w+|\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(decoded(line)) ?? [];
    if (period === undefined) return [];
    const often = period.startsWith("@") ? period.slice(1) : period === "1" ? "every day" : `every ${period} days`;
    return [
      {
        where: `/etc/anacrontab:${number + 1}`,
        user: "root",
        command: command!,
        stem: stemOf(command!),
        surnames: [name!],
        said: often,
        schedule: null,
        timezone: null,
        delaySeconds: Number(delay) * 60,
        watchedAs: null,
        why: `anacron says how often it runs (${often}) and not when, and no schedule says that`,
        notes: periodicNotes(command!, host),
        change: null,
      },
    ];
  });
}
