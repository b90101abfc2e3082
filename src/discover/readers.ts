// Whether a job's user can read the settings of `rollcall run`. A wrapped job that cannot would run as ever and tell nobody,
// and every run would count as missed.

import { dirname } from "node:path";
import type { Host } from "./host.ts";

const OF_SYSTEM = "/etc/rollcall/client.toml";

interface Account {
  readonly uid: number;
  readonly gids: readonly number[];
  readonly home: string;
}

/** Null: it can; else why not. `own`: whether a file in the user's home counts, too, as it does for cron. */
export function whyUnsettled(user: string, own: boolean, host: Host): string | null {
  const account = accountOf(user, host);
  const files = [...(own ? [`${account.home}/.config/rollcall/client.toml`] : []), OF_SYSTEM];
  const file = files.find((path) => host.facts(path) !== null);
  if (file === undefined) return `there is no ${OF_SYSTEM}, so its runs would tell nobody: write url and key into it`;
  const keyFile = /^\s*key_file\s*=\s*["']([^"']+)["']/m.exec(host.read(file) ?? "")?.[1];
  const shut = [file, ...(keyFile === undefined ? [] : [keyFile])].find((path) => !mayRead(path, account, host));
  return shut === undefined
    ? null
    : `${user} may not read ${shut}, so its runs would tell nobody: let it, by a group or a mode`;
}

/** A user that the files do not know has no rights of its own. */
function accountOf(user: string, host: Host): Account {
  const rows = (path: string): string[][] => (host.read(path) ?? "").split("\n").map((line) => line.split(":"));
  const found = rows("/etc/passwd").find(([name]) => name === user);
  const isRoot = user === "root";
  const gids = rows("/etc/group")
    .filter((row) => row[3]?.split(",").includes(user))
    .map((row) => Number(row[2]));
  return {
    uid: isRoot ? 0 : Number(found?.[2] ?? Number.NaN),
    gids: found === undefined ? gids : [...gids, Number(found[3])],
    home: found?.[5] ?? (isRoot ? "/root" : `/home/${user}`),
  };
}

/** By the bits of the file and of the directories above it. */
function mayRead(path: string, { uid, gids }: Account, host: Host): boolean {
  if (uid === 0) return host.facts(path) !== null;
  const allows = (at: string, bit: number): boolean => {
    const facts = host.facts(at);
    if (facts === null) return false;
    const shift = facts.uid === uid ? 6 : gids.includes(facts.gid) ? 3 : 0;
    return ((facts.mode >> shift) & bit) !== 0;
  };
  const above = (at: string): string[] => (at === "/" ? [] : [dirname(at), ...above(dirname(at))]);
  return allows(path, 4) && above(path).every((directory) => directory === "/" || allows(directory, 1));
}
