// Why this process may not use its data directory, and what gives it the right: a look at the directory and at each file in
// it. Changes nothing.

import { accessSync, constants, readdirSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownUser, userHere } from "../own-user.ts";

/** A sentence for the operator, with a command that harms nothing beside rollcall's own files. */
export function rightsTo(directory: string): string {
  const user = ownUser() ?? String(process.getuid?.());
  const found = look(directory);
  if (found === "hidden")
    return `${user} may not enter ${nearestSeen(directory)}, below which ${directory} is: ${elsewhere}`;
  if (found === "missing")
    return `${user} may not make ${directory}: make it as root (install -d -m 700 -o ${user} ${directory}), or ${elsewhere}`;
  const barred = [directory, ...filesIn(directory)].find((path) => !mayUse(path)) ?? directory;
  const seen = look(barred);
  const owner = typeof seen === "string" ? null : seen.uid;
  if (owner === null || owner === process.getuid?.())
    return `${user} may not write to ${barred}: chmod -R u+rwX ${directory}`;
  return `${barred} belongs to ${userHere(owner) ?? owner}, and rollcall runs as ${user}: if ${directory} holds nothing but rollcall's files, chown -R ${user} ${directory}; else ${elsewhere}`;
}

const elsewhere = "set storage.directory to a directory of its own";

function look(path: string): Stats | "missing" | "hidden" {
  try {
    return statSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "hidden" : "missing";
  }
}

/** The directory that lets us see no further. */
function nearestSeen(path: string): string {
  const above = dirname(path);
  return typeof look(above) === "string" && above !== path ? nearestSeen(above) : above;
}

/** Not below it: backups are made anew. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .sort()
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

function mayUse(path: string): boolean {
  const seen = look(path);
  if (typeof seen === "string") return false;
  const enter = seen.isDirectory() ? constants.X_OK : 0;
  try {
    accessSync(path, constants.R_OK | constants.W_OK | enter);
    return true;
  } catch {
    return false;
  }
}
