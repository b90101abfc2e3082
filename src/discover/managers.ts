// The managers of systemd on a machine: that of the system, and one for each user who has timers or may have them.

import { decoded, type Host } from "./host.ts";
import type { LoadedUnits } from "./loaded-units.ts";

export interface Manager {
  /** Null: the system's. */
  readonly user: string | null;
  /** Where it looks for units; the first that has one counts. */
  readonly path: readonly string[];
  /** Where drop-ins of ours go. */
  readonly own: string;
  /** What it has loaded; null: it does not run here, or does not answer. */
  readonly loaded: LoadedUnits | null;
  /** Why its timers do not start by the clock; null: they do. */
  readonly idle: string | null;
}

/** A user who may have a manager. */
export interface UserOfUnits {
  readonly user: string;
  readonly uid: number;
  readonly home: string;
  /** Whether the manager runs while nobody is signed in. */
  readonly lingers: boolean;
}

const OF_SYSTEM = [
  "/etc/systemd/system.control",
  "/run/systemd/system.control",
  "/run/systemd/transient",
  "/run/systemd/generator.early",
  "/etc/systemd/system",
  "/run/systemd/system",
  "/run/systemd/generator",
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
  "/lib/systemd/system",
  "/run/systemd/generator.late",
];

/** Those that lie in the user's home and runtime directory, and those that all users share. */
const pathOf = ({ home, uid }: UserOfUnits): readonly string[] => [
  `${home}/.config/systemd/user.control`,
  `/run/user/${uid}/systemd/transient`,
  `/run/user/${uid}/systemd/generator.early`,
  `${home}/.config/systemd/user`,
  "/etc/systemd/user",
  `/run/user/${uid}/systemd/user`,
  "/run/systemd/user",
  `/run/user/${uid}/systemd/generator`,
  `${home}/.local/share/systemd/user`,
  "/usr/local/lib/systemd/user",
  "/usr/lib/systemd/user",
  `/run/user/${uid}/systemd/generator.late`,
];

/** `systemd`: whether it runs here. */
export const systemManager = (systemd: boolean, loaded: LoadedUnits | null): Manager => ({
  user: null,
  path: OF_SYSTEM,
  own: "/etc/systemd/system",
  loaded,
  idle: systemd ? null : "systemd does not run here, so its timers start nothing",
});

export const userManager = (user: UserOfUnits, systemd: boolean, loaded: LoadedUnits | null): Manager => ({
  user: user.user,
  path: pathOf(user),
  own: `${user.home}/.config/systemd/user`,
  loaded,
  idle: !systemd
    ? "systemd does not run here, so its timers start nothing"
    : user.lingers
      ? null
      : `it runs only while ${user.user} is signed in; loginctl enable-linger ${user.user} lets it run always`,
});

/** Those who linger, or have units that others want; all of the machine or, where it is given, this one alone. */
export function usersOfUnits(host: Host, only: string | null): readonly UserOfUnits[] {
  return (host.read("/etc/passwd") ?? "").split("\n").flatMap((row) => {
    const [user, , uid, , , home] = decoded(row).split(":");
    if (!user || !home?.startsWith("/") || (only !== null && user !== only)) return [];
    const lingers = host.facts(`/var/lib/systemd/linger/${user}`) !== null;
    const hasUnits = host.names(`${home}/.config/systemd/user`).some((name) => name.endsWith(".wants"));
    return lingers || hasUnits ? [{ user, uid: Number(uid), home, lingers }] : [];
  });
}
