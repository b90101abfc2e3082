// Whether a job's user can read the settings of `rollcall run`, and start it. A wrapped job that cannot read them would
// run as ever and tell nobody, and every run would count as missed; one that cannot start it would not run.

import { dirname } from "node:path";
import { type Account, accountOf } from "./accounts.ts";
import type { Host } from "./host.ts";

const OF_SYSTEM = "/etc/rollcall/client.toml";

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

/** Where a restart of the machine removes files, or time does. */
const FLEETING = /^\/(?:tmp|var\/tmp|dev|run)\//;

/** Null: it can; else why not. */
export function whyUnstartable(user: string, executable: string, host: Host): string | null {
  const facts = host.facts(executable);
  if (facts === null) return `there is no ${executable} there, so it would not run: install rollcall first`;
  if (FLEETING.test(executable)) return `${executable} lies where a restart removes it: install rollcall first`;
  const account = accountOf(user, host);
  // Root, too, needs one of the bits for starting; who starts it must also read it.
  return (facts.mode & 0o111) !== 0 && isAllowed(executable, 5, account, host)
    ? null
    : `${user} may not start ${executable}, so it would not run: install rollcall where all may start it`;
}

const mayRead = (path: string, account: Account, host: Host): boolean => barrierTo(path, account, host) === null;

/** The file, or the directory above it, that keeps this user from reading the file; null: none does. */
export const barrierTo = (path: string, account: Account, host: Host): string | null => barrier(path, 4, account, host);

const isAllowed = (path: string, bits: number, account: Account, host: Host): boolean =>
  barrier(path, bits, account, host) === null;

/** By the bits of the file and of the directories above it. `bits`: 4 to read, 1 to start. */
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
