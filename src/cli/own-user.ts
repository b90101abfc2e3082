// This process's user: the name, because only the owner of the data directory may open the socket in it; and the home.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { orElse } from "../domain/unless-missing.ts";

/**
 * This process's user; `null` when neither the list of users nor the environment has a name. The list comes first,
 * because `su` keeps USER.
 */
export function ownUser(): string | null {
  const id = process.getuid?.();
  return (id === undefined ? null : userHere(id)) ?? (process.env["USER"] || null);
}

export const userHere = (id: number): string | null => userIn(usersHere(), id);

/**
 * The name of this process's user, by the uid and never by a variable; the number when the list of users has no name
 * for it.
 */
export const runningUser = (): string => {
  const id = process.getuid?.();
  return id === undefined ? (process.env["USER"] ?? "") : (userHere(id) ?? `${id}`);
};

export const userNamed = (id: number): string => userHere(id) ?? `user ${id}`;

export const isRootOrSelf = (id: number): boolean => id === 0 || id === process.getuid?.();

/**
 * A user who may read a file that this user may not: its owner or, of root's files, the user whose group the file has;
 * `null` when it is not known.
 */
export function readerOf(path: string): string | null {
  const facts = orElse(null, () => statSync(path));
  if (facts === null || facts.uid !== 0) return facts === null ? null : userHere(facts.uid);
  const ofGroup = usersHere()
    .split("\n")
    .find((line) => line.split(":")[3] === String(facts.gid));
  return facts.gid !== 0 && (facts.mode & 0o040) !== 0 ? (ofGroup?.split(":")[0] ?? null) : "root";
}

export function userIn(users: string, id: number): string | null {
  const entry = users.split("\n").find((line) => line.split(":")[2] === String(id));
  return entry?.split(":")[0] || null;
}

const usersHere = (): string => orElse("", () => readFileSync("/etc/passwd", "utf8"));

/**
 * The user's home: `/` for a user without one, such as those that systemd makes for a service, because their jobs must
 * run too.
 */
export const homeFolder = (): string => orElse("/", homedir);
