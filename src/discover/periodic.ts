// Directories of scripts that run daily, weekly and so on: what a line of cron or anacron that runs one does here. One
// monitor stands for a whole directory: a failing script fails it, and its files stay as they are.

import type { Host } from "./host.ts";

const DIRECTORY = /\brun-parts\b[^;&|}]*?(\/etc\/cron\.\w+)/;

/** Which scripts a `run-parts` in this command runs, and which files it passes over without a word. */
export function periodicNotes(command: string, host: Host): readonly string[] {
  const directory = DIRECTORY.exec(command)?.[1];
  if (directory === undefined) return [];
  const names = host.names(directory).filter((name) => !name.startsWith("."));
  // Debian's is a program; the script of Red Hat takes more names.
  const isScript = host.read("/usr/bin/run-parts")?.startsWith("#!") === true;
  const isTaken = (name: string): boolean =>
    isScript ? !/[~,]$|,v$|\.(?:rpmsave|rpmorig|rpmnew|swp|cfsaved)$/.test(name) : /^[A-Za-z0-9_-]+$/.test(name);
  const isRun = (name: string): boolean => {
    const facts = host.facts(`${directory}/${name}`);
    return isTaken(name) && facts?.kind === "file" && (facts.mode & 0o111) !== 0;
  };
  const [scripts, others] = [names.filter(isRun), names.filter((name) => !isRun(name))];
  const notes =
    scripts.length === 0
      ? [`It runs ${directory}, which has no script.`]
      : [`It runs ${directory} as one job, and fails if one of these does: ${scripts.join(", ")}.`];
  if (others.length > 0)
    notes.push(`run-parts passes over these, because of their names or modes: ${others.join(", ")}.`);
  return notes;
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
