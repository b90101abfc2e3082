// The users of a machine, as its files have them.

import type { Host } from "./host.ts";

export interface Account {
  readonly uid: number;
  readonly gids: readonly number[];
  readonly home: string;
}

const rowsOf = (path: string, host: Host): readonly (readonly string[])[] =>
  (host.read(path) ?? "").split("\n").map((line) => line.split(":"));

/** A user that the files do not know has no rights of its own. */
export function accountOf(user: string, host: Host): Account {
  const found = rowsOf("/etc/passwd", host).find(([name]) => name === user);
  const isRoot = user === "root";
  const gids = rowsOf("/etc/group", host)
    .filter((row) => row[3]?.split(",").includes(user))
    .map((row) => Number(row[2]));
  return {
    uid: isRoot ? 0 : Number(found?.[2] ?? Number.NaN),
    gids: found === undefined ? gids : [...gids, Number(found[3])],
    home: found?.[5] ?? (isRoot ? "/root" : `/home/${user}`),
  };
}

/** Whether there is surely no such user: the files know all, and not this one. */
export function isMissing(user: string, host: Host): boolean {
  const rows = rowsOf("/etc/passwd", host).filter(([name]) => name !== "");
  const sources = /^\s*passwd:(.*)$/m.exec(host.read("/etc/nsswitch.conf") ?? "")?.[1] ?? "files";
  const isWhole = rows.length > 0 && sources.split(/\s+/).every((name) => /^(?:|files|systemd|#.*)$/.test(name));
  return isWhole && !rows.some(([name]) => name === user);
}
