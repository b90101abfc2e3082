// The users of a machine, as its files have them. It says whether a job's user can read the settings of `rollcall run`,
// and start it: otherwise the wrapped job would report nothing and count as missed, or would not run.

import { dirname } from "node:path";
import type { Host } from "./host.ts";

export type Account = ReturnType<typeof accountOf>;

const accountRows = (path: string, host: Host): readonly (readonly string[])[] =>
  (host.read(path) ?? "").split("\n").map((line) => line.split(":"));

/** The user's ids. A user whom the files do not know has the rights of all other users. */
export function accountOf(user: string, host: Host) {
  const found = accountRows("/etc/passwd", host).find(([name]) => name === user);
  const isRoot = user === "root";
  const gids = accountRows("/etc/group", host)
    .filter((row) => row[3]?.split(",").includes(user))
    .map((row) => Number(row[2]));
  return {
    uid: isRoot ? 0 : Number(found?.[2] ?? Number.NaN),
    gids: found === undefined ? gids : [...gids, Number(found[3])],
    home: found?.[5] ?? (isRoot ? "/root" : `/home/${user}`),
  };
}

/** Whether there is surely no such user: the files are complete, and do not name it. */
export function isMissing(user: string, host: Host): boolean {
  const rows = accountRows("/etc/passwd", host).filter(([name]) => name !== "");
  const sources = /^\s*passwd:(.*)$/m.exec(host.read("/etc/nsswitch.conf") ?? "")?.[1] ?? "files";
  const isWhole = rows.length > 0 && sources.split(/\s+/).every((name) => /^(?:|files|systemd|#.*)$/.test(name));
  return isWhole && !rows.some(([name]) => name === user);
}

const OF_SYSTEM = "/etc/rollcall/client.toml";

/**
 * Why a user cannot report; `null` when the user can. `own` says that a file in the user's home counts too, as it does
 * for cron.
 */
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

/** The directory in which the package lets each user keep reports that cannot be sent at once. */
export const SPOOL = "/var/spool/rollcall";

/** A sentence for a user for whom no report that cannot be sent at once could wait; `null` when it could. */
export function spoolNote(user: string, host: Host): string | null {
  const account = accountOf(user, host);
  const shared = host.facts(SPOOL);
  if (account.uid === 0 || (shared !== null && (shared.mode & 0o1003) === 0o1003)) return null;
  const state = `${account.home}/.local/state`;
  const place = [`${state}/rollcall/spool`, `${state}/rollcall`, state, `${account.home}/.local`, account.home].find(
    (path) => host.facts(path) !== null,
  );
  return place !== undefined && barrier(place, 3, account, host) === null
    ? null
    : `${user} has no place where a report can wait that cannot be sent at once: install -d -m 1733 ${SPOOL} makes one for all.`;
}

/** Matches directories whose files a restart of the machine removes, or that are emptied after some time. */
const FLEETING = /^\/(?:tmp|var\/tmp|dev|run)\//;

export function whyUnstartable(user: string, executable: string, host: Host): string | null {
  const facts = host.facts(executable);
  if (facts === null) return `there is no ${executable} there, so it would not run: install rollcall first`;
  if (FLEETING.test(executable)) return `${executable} lies where a restart removes it: install rollcall first`;
  const account = accountOf(user, host);
  // Someone must be allowed to start the file, which root needs too; and this user must also be able to read it.
  return (facts.mode & 0o111) !== 0 && barrier(executable, 5, account, host) === null
    ? null
    : `${user} may not start ${executable}, so it would not run: install rollcall where all may start it`;
}

const mayRead = (path: string, account: Account, host: Host): boolean => barrierTo(path, account, host) === null;

/** The file, or the directory above it, that keeps this user from reading the file; `null` when none does. */
export const barrierTo = (path: string, account: Account, host: Host): string | null => barrier(path, 4, account, host);

/**
 * The file or directory that keeps the user out, by the bits of the file and of the directories above it. `bits` is 4
 * to read, 1 to start.
 */
function barrier(path: string, bits: number, { uid, gids }: Account, host: Host): string | null {
  const allows = (at: string, wanted: number): boolean => {
    const facts = host.facts(at);
    if (facts === null || uid === 0) return facts !== null;
    const shift = facts.uid === uid ? 6 : gids.includes(facts.gid) ? 3 : 0;
    return ((facts.mode >> shift) & wanted) === wanted;
  };
  const above = (at: string): string[] => (at === "/" ? [] : [...above(dirname(at)), dirname(at)]);
  const shut = above(path).find((directory) => directory !== "/" && !allows(directory, 1));
  return shut ?? (allows(path, bits) ? null : path);
}
