// The managers of systemd that `rollcall discover` looks at, and what the running ones say of their units.

import type { Host } from "../../discover/host.ts";
import { askUnits, type LoadedUnits } from "../../discover/loaded-units.ts";
import { type Manager, systemManager, type UserOfUnits, userManager, usersOfUnits } from "../../discover/managers.ts";

interface ManagedMachine {
  readonly host: Host;
  readonly systemd: boolean;
  /** Whether it can be asked. */
  readonly isRunning: boolean;
  readonly isRoot: boolean;
  readonly user: string;
}

export interface Managers {
  readonly managers: readonly Manager[];
  /** Whether the running systemd told of its units. */
  readonly isLive: boolean;
  /** Who did not tell, and why, in sentences. */
  readonly silent: readonly string[];
}

/** Without root a user sees no units of other users. */
export function managersOf(machine: ManagedMachine): Managers {
  const { host, systemd, isRunning, isRoot, user } = machine;
  const silent: string[] = [];
  const heard = (who: string, asked: LoadedUnits | string): LoadedUnits | null => {
    if (typeof asked !== "string") return asked;
    silent.push(`${who} did not tell of its timers (${asked}), so they are those of the files`);
    return null;
  };
  const isLive = systemd && isRunning;
  const system = systemManager(systemd, isLive ? heard("systemd", askUnits(["systemctl"], process.env)) : null);
  const users = usersOfUnits(host, isRoot ? null : user).map((one) => {
    const runs = isLive && host.facts(`/run/user/${one.uid}/systemd`) !== null;
    return userManager(one, systemd, runs ? heard(`systemd of ${one.user}`, askUser(one, user)) : null);
  });
  return { managers: [system, ...users], isLive: system.loaded !== null, silent };
}

/**
 * Only the user may ask; root does so in the user's name, and what runs so can be read by that user: also its
 * environment.
 */
function askUser({ user, uid }: UserOfUnits, ourselves: string): LoadedUnits | string {
  const runtime = { XDG_RUNTIME_DIR: `/run/user/${uid}` };
  if (user === ourselves) return askUnits(["systemctl", "--user"], { ...process.env, ...runtime });
  return askUnits(["runuser", "-u", user, "--", "systemctl", "--user"], { PATH: process.env["PATH"], ...runtime });
}
