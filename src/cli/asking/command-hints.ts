// Writes commands for messages as the person at this terminal must type them. Someone who is neither root nor the owner
// of the data directory needs, for example, `sudo -u rollcall` before them: only those two may open its socket.

import { statSync } from "node:fs";
import type { ConfigFlags } from "../../config/load.ts";
import type { Surroundings } from "../../config/place.ts";
import { shellQuoted } from "../../domain/text.ts";
import { orElse } from "../../domain/unless-missing.ts";
import { programHere } from "../executable.ts";
import type { CommandHint } from "../io.ts";
import { systemUser } from "../own-user.ts";

/**
 * The options that say which service a command asks: `remote` is the address of a service elsewhere, and the file
 * `keyFile` holds the key for it.
 */
export type CallFlags = ConfigFlags & Readonly<{ remote?: string; keyFile?: string }>;

export interface Call {
  /** The arguments as typed, without the name of the executable. */
  readonly args: readonly string[];
  readonly flags: CallFlags;
  readonly environment: Surroundings["environment"];
}

export function hintAsOwner({ flags, environment }: Call, directory: string): CommandHint {
  const owner = asOwner(directory, environment);
  return (words) => `${owner}${hintHere({ config: flags.config, envFile: flags.envFile })(words)}`;
}

/**
 * Returns a function that writes a command line. It repeats the options with which this call named its configuration or
 * a service elsewhere.
 */
export function hintHere({
  config,
  envFile,
  remote,
  keyFile,
}: Partial<Record<keyof CallFlags, string | undefined>>): CommandHint {
  const own = `${flag("--config", config)}${flag("--env-file", envFile)}`;
  const before = `${programHere()}${own}${flag("--remote", remote)}${flag("--key-file", keyFile)}`;
  return (words) => `${before} ${words}`;
}

/**
 * Returns a function that writes a command line for a service elsewhere. There the user of this machine does not
 * matter, so it needs no `sudo`.
 */
export const hintElsewhere = ({ remote, keyFile }: CallFlags): CommandHint => hintHere({ remote, keyFile });

/**
 * Returns this command line with `sudo`, so that it runs as the owner of the directory. Returns `null` when the person
 * is that owner or root, or when the owner is not known.
 */
export function commandAgain({ args, environment }: Call, directory: string): string | null {
  const owner = asOwner(directory, environment);
  return owner === "" ? null : `${owner}${programHere()} ${args.map(shellQuoted).join(" ")}`;
}

function asOwner(directory: string, environment: Call["environment"]): string {
  const owner = orElse(null, () => statSync(directory).uid);
  // Under `sudo` the process's user is not the person who typed the command; that is the user in SUDO_UID.
  const person = environment["SUDO_UID"] === undefined ? process.getuid?.() : Number(environment["SUDO_UID"]);
  if (owner === null || person === undefined || person === 0 || person === owner) return "";
  return `sudo -u ${systemUser(owner) ?? shellQuoted(`#${owner}`)} `;
}

const flag = (name: string, value: string | undefined): string =>
  value === undefined ? "" : ` ${name} ${shellQuoted(value)}`;
