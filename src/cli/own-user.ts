// The name of this process's user: the person who types rollcall's commands must be the same, because only that user
// may open the socket in the data directory.

import { readFileSync } from "node:fs";

/** Null: neither the list of users nor the environment has a name. The list comes first, because `su` keeps USER. */
export function ownUser(): string | null {
  const id = process.getuid?.();
  return (id === undefined ? null : userHere(id)) ?? (process.env["USER"] || null);
}

/** The name of this user of this machine; null: the list of users has none. */
export const userHere = (id: number): string | null => userIn(usersHere(), id);

export const userNamed = (id: number): string => userHere(id) ?? `user ${id}`;

/** Root's, or this process's user's. */
export const isOurs = (id: number): boolean => id === 0 || id === process.getuid?.();

/** The name for this number in a file like `/etc/passwd`. */
export function userIn(users: string, id: number): string | null {
  const entry = users.split("\n").find((line) => line.split(":")[2] === String(id));
  return entry?.split(":")[0] || null;
}

function usersHere(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}
