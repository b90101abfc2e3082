// What `--diff`, `--apply` and `--undo` of `rollcall discover` share: where its ledger lies, and where files are.

import { homedir } from "node:os";
import { join } from "node:path";
import { type ClientSettings, readSettings } from "../client/settings.ts";
import { type Places, placesAt } from "../discover/places.ts";
import type { Shell } from "./command-shell.ts";
import type { DiscoverOptions, Machine } from "./discover-machine.ts";

export interface Changing {
  readonly machine: Machine;
  readonly places: Places;
  /** Of the ledger. */
  readonly directory: string;
  /** The name of this list of jobs on the server. */
  readonly source: string;
  readonly settings: ClientSettings;
  /** Below another root nothing runs that could be told. */
  readonly isLive: boolean;
}

export function changingOf(machine: Machine, { root }: DiscoverOptions, { environment }: Shell): Changing {
  const { isRoot, user, name } = machine;
  const state = environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  const own = isRoot ? "/var/lib/rollcall-client/discover" : join(state, "rollcall", "discover");
  return {
    machine,
    places: placesAt(root ?? "/", user),
    directory: root === undefined ? own : join(root, "/var/lib/rollcall-client/discover"),
    source: isRoot ? `discover/${name}` : `discover/${name}/${user}`,
    settings: readSettings({ environment, home: homedir(), isRoot }),
    isLive: root === undefined,
  };
}

/** Lets systemd read its units anew. Null: it has, or does not run; else what to do. */
export function reloadUnits({ isLive, machine: { host } }: Changing): string | null {
  if (!isLive || host.facts("/run/systemd/system") === null) return null;
  const { exitCode, stderr } = Bun.spawnSync(["systemctl", "daemon-reload"]);
  return exitCode === 0 ? null : `systemctl daemon-reload failed (${stderr.toString().trim()}): run it yourself`;
}
