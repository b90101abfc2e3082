// Whether a job's user can read the settings of `rollcall run`, and start it. A wrapped job that cannot read them would run
// as ever and tell nobody, and every run would count as missed; one that cannot start it would not run.

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

const mayRead = (path: string, account: Account, host: Host): boolean => isAllowed(path, 4, account, host);

/** By the bits of the file and of the directories above it. `bits`: 4 to read, 1 to start. */
function isAllowed(path: string, bits: number, { uid, gids }: Account, host: Host): boolean {
  if (uid === 0) return host.facts(path) !== null;
  const allows = (at: string, wanted: number): boolean => {
    const facts = host.facts(at);
    if (facts === null) return false;
    const shift = facts.uid === uid ? 6 : gids.includes(facts.gid) ? 3 : 0;
    return ((facts.mode >> shift) & wanted) === wanted;
  };
  const above = (at: string): string[] => (at === "/" ? [] : [dirname(at), ...above(dirname(at))]);
  return allows(path, bits) && above(path).every((directory) => directory === "/" || allows(directory, 1));
}
