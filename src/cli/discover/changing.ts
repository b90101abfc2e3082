// `--diff`, `--apply` and `--undo` of `rollcall discover` share this file. It finds the directory of the ledger, which
// records all changes, and gives access to the files and crontabs to change.

import { join } from "node:path";
import { readClientSettings } from "../../client/client-settings.ts";
import type { Place } from "../../discover/found.ts";
import { placesAt } from "../../discover/job-files.ts";
import { DROP_IN } from "../../discover/unit-file.ts";
import type { Shell } from "../command-shell.ts";
import { homeFolder } from "../own-user.ts";
import type { Machine, SystemManager } from "./machine.ts";

export type Changing = ReturnType<typeof changingOf>;

export function ledgerDirectory({ root }: SystemManager, { environment }: Shell): string {
  const state = environment["XDG_STATE_HOME"] || join(homeFolder(), ".local", "state");
  return process.getuid?.() === 0
    ? join(root, "var/lib/rollcall-client/discover")
    : join(state, "rollcall", "discover");
}

export function changingOf(machine: Machine, shell: Shell) {
  const { isRoot, user, name, system } = machine;
  return {
    machine,
    places: placesAt(system.root, user),
    directory: ledgerDirectory(system, shell),
    source: isRoot ? `discover/${name}` : `discover/${name}/${user}`,
    settings: readClientSettings({
      environment: shell.environment,
      home: homeFolder(),
      uid: process.getuid?.() ?? null,
    }),
  };
}

/**
 * Lets systemd read its units again, if one of them changed. Returns a text that says what to do when that fails,
 * otherwise `null`.
 */
export function reloadUnits({ machine }: Changing, changed: readonly { readonly place: Place }[]): string | null {
  const isUnit = ({ place }: { readonly place: Place }): boolean =>
    place.kind === "file" && place.path.endsWith(`/${DROP_IN}`);
  if (!machine.system.isRunning || machine.host.facts("/run/systemd/system") === null || !changed.some(isUnit))
    return null;
  const command = ["systemctl", ...(machine.isRoot ? [] : ["--user"]), "daemon-reload"];
  // In a shell of `su`, XDG_RUNTIME_DIR is not set, and the systemd of this user may not even run.
  const runtime = process.env["XDG_RUNTIME_DIR"] || `/run/user/${process.getuid?.()}`;
  if (!machine.isRoot && machine.host.facts(`${runtime}/systemd`) === null) return null;
  const { exitCode, stderr } = Bun.spawnSync(command, { env: { ...process.env, XDG_RUNTIME_DIR: runtime } });
  return exitCode === 0
    ? null
    : `${command.join(" ")} failed (${stderr.toString().trim().split("\n")[0]}): run it yourself`;
}
