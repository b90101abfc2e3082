// Reads the users of a machine from its files, and says whether a job's user can start `rollcall run` and read its
// settings. Otherwise the wrapped job would not run, or would report nothing and count as missed.

import { dirname } from "node:path";
import { KEY_PREFIX, keyWithoutSecret } from "../domain/api-key.ts";
import type { MachineFiles } from "./host.ts";

export type Account = ReturnType<typeof accountOf>;

const accountRows = (path: string, host: MachineFiles): readonly (readonly string[])[] =>
  (host.read(path) ?? "").split("\n").map((line) => line.split(":"));

/**
 * Returns the user's ids and home. A user whom the machine's files do not name has no id, and only the rights that all
 * have.
 */
export function accountOf(user: string, host: MachineFiles) {
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

/** Whether the user certainly does not exist: the files do not name the user, and users come from nowhere else. */
export function isMissingUser(user: string, host: MachineFiles): boolean {
  const rows = accountRows("/etc/passwd", host).filter(([name]) => name !== "");
  const sources = /^\s*passwd:(.*)$/m.exec(host.read("/etc/nsswitch.conf") ?? "")?.[1] ?? "files";
  const isWhole = rows.length > 0 && sources.split(/\s+/).every((name) => /^(?:|files|systemd|#.*)$/.test(name));
  return isWhole && !rows.some(([name]) => name === user);
}

const SYSTEM_SETTINGS = "/etc/rollcall/client.toml";

/**
 * Says why a user cannot report; `null` when the user can. `own` says that a job of this user may also read a settings
 * file in the user's home, as jobs of cron do. `declaring` is the key with which the job is to be declared; `null` when
 * there is none.
 */
export function whyUnableToReport(
  user: string,
  own: boolean,
  declaring: string | null,
  host: MachineFiles,
): string | null {
  const account = accountOf(user, host);
  const files = [...(own ? [`${account.home}/.config/rollcall/client.toml`] : []), SYSTEM_SETTINGS];
  const file = files.find((path) => host.facts(path) !== null);
  if (file === undefined)
    return `there is no ${SYSTEM_SETTINGS}, so its runs would tell nobody: write url and key into it`;
  const text = host.read(file) ?? "";
  const settingOf = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*["']([^"']+)["']`, "m").exec(text)?.[1];
  const keyFile = settingOf("key_file");
  const named = [keyFile, settingOf("authority_file")].filter((path) => path !== undefined);
  const shut = [file, ...named].find((path) => !mayRead(path, account, host));
  if (shut !== undefined)
    return `${user} may not read ${shut}, so its runs would tell nobody: let it, by a group or a mode`;
  // What only the environment of this call says is not known to a run of cron.
  const key = settingOf("key") ?? (keyFile === undefined ? undefined : host.read(keyFile)?.trim());
  const missing = settingOf("url") === undefined ? "url" : key === undefined ? "key" : null;
  if (missing !== null) return `${file} has no ${missing}, so its runs would tell nobody: write url and key into it`;
  const application = keyWithoutSecret(key!);
  return declaring === null || !application.startsWith(KEY_PREFIX) || application === keyWithoutSecret(declaring)
    ? null
    : `${file} has a key of another application than this call, so its runs would tell that one`;
}

/** The directory that the package makes for unsent reports of all users. */
export const SPOOL = "/var/spool/rollcall";

/**
 * Returns a sentence when this user may write to no directory in which an unsent report could wait; `null` when there
 * is such a directory.
 */
export function spoolNote(user: string, host: MachineFiles): string | null {
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

/** Matches directories whose files are removed at a restart of the machine, or after some time. */
const FLEETING = /^\/(?:tmp|var\/tmp|dev|run)\//;

export function whyUnstartable(user: string, executable: string, host: MachineFiles): string | null {
  const facts = host.facts(executable);
  if (facts === null) return `there is no ${executable} there, so it would not run: install rollcall first`;
  if (FLEETING.test(executable)) return `${executable} lies where a restart removes it: install rollcall first`;
  const account = accountOf(user, host);
  // The mode must let someone start the file, because otherwise even root cannot. This user must be able to read the
  // file and to start it.
  return (facts.mode & 0o111) !== 0 && barrier(executable, 5, account, host) === null
    ? null
    : `${user} may not start ${executable}, so it would not run: install rollcall where all may start it`;
}

const mayRead = (path: string, account: Account, host: MachineFiles): boolean =>
  barrierTo(path, account, host) === null;

/** The file or directory that keeps this user from reading the file; `null` when none does. */
export const barrierTo = (path: string, account: Account, host: MachineFiles): string | null =>
  barrier(path, 4, account, host);

/**
 * Returns what keeps the user out: the first directory above the path that the user may not enter, or else the path
 * itself. Returns `null` when the user has the rights `bits` to the path. `bits` is a sum: 4 to read, 2 to write, 1 to
 * start or enter.
 */
function barrier(path: string, bits: number, { uid, gids }: Account, host: MachineFiles): string | null {
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
