// The name of the user this process runs as: the person who types rollcall's commands must be the same, since the socket in the
// data directory is for that user alone.

import { readFileSync } from "node:fs";

/** Null: neither the computer's list of users nor the environment knows one. The list goes first: `su` keeps USER. */
export function ownUser(): string | null {
  const id = process.getuid?.();
  return (id === undefined ? null : userIn(usersHere(), id)) ?? (process.env["USER"] || null);
}

/** The name that goes with this number in a file like `/etc/passwd`. */
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
