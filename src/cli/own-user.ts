// Finds the name and the home of the user as whom this process runs, and of other users. Messages need such names,
// because only the owner of the data directory may open the socket in it.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { orElse } from "../domain/unless-missing.ts";

/**
 * Returns the name of this process's user; `null` when neither the list of users nor the environment has one. The list
 * is asked first, because `su` leaves USER as it was.
 */
export function ownUser(): string | null {
  const id = process.getuid?.();
  return (id === undefined ? null : systemUser(id)) ?? (process.env["USER"] || null);
}

export const systemUser = (id: number): string | null => systemUserIn(usersHere(), id);

/**
 * Returns the name of this process's user, found by the uid and not by a variable; the uid itself when it has no name.
 */
export const runningUser = (): string => {
  const id = process.getuid?.();
  return id === undefined ? (process.env["USER"] ?? "") : (systemUser(id) ?? `${id}`);
};

export const systemUserOrNumber = (id: number): string => systemUser(id) ?? `user ${id}`;

export const isRootOrSelf = (id: number): boolean => id === 0 || id === process.getuid?.();

/**
 * Returns the user who may read a file that this user may not read. That is the file's owner. For a file of root, such
 * as `root:rollcall` with mode 0640, it is the user whose own group may read it, or else root. Returns `null` when that
 * is not known.
 */
export function systemUserWhoReads(path: string): string | null {
  const facts = orElse(null, () => statSync(path));
  if (facts === null || facts.uid !== 0) return facts === null ? null : systemUser(facts.uid);
  const ofGroup = usersHere()
    .split("\n")
    .find((line) => line.split(":")[3] === String(facts.gid));
  return facts.gid !== 0 && (facts.mode & 0o040) !== 0 ? (ofGroup?.split(":")[0] ?? null) : "root";
}

export function systemUserIn(users: string, id: number): string | null {
  const entry = users.split("\n").find((line) => line.split(":")[2] === String(id));
  return entry?.split(":")[0] || null;
}

const usersHere = (): string => orElse("", () => readFileSync("/etc/passwd", "utf8"));

/**
 * Returns the user's home; `/` for a user without one, such as systemd makes for a service. Jobs of such users must run
 * too.
 */
export const homeFolder = (): string => orElse("/", homedir);
