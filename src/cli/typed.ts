// Commands as the person at this terminal must type them: for the same configuration, and as the user who owns the data
// directory, since nobody else may open the socket in it.

import { readFileSync, statSync } from "node:fs";
import type { ConfigFlags } from "../config/load.ts";
import type { Surroundings } from "../config/surroundings.ts";
import { userIn } from "./own-user.ts";

/** What a command knows of how it was called. */
export interface Call {
  /** As they were typed, without the executable. */
  readonly args: readonly string[];
  readonly flags: ConfigFlags;
  readonly environment: Surroundings["environment"];
}

/** Makes a whole command line of a command's words, such as `monitor list`. */
export type Typed = (words: string) => string;

export function typedFor({ flags, environment }: Call, directory: string): Typed {
  const before = `${asOwner(directory, environment)}rollcall${flag("--config", flags.config)}${flag("--env-file", flags.envFile)}`;
  return (words) => `${before} ${words}`;
}

/** The command line of this call once more, as the owner of the directory; null: it is not known who that is. */
export function typedAgain({ args, environment }: Call, directory: string): string | null {
  const owner = asOwner(directory, environment);
  return owner === "" ? null : `${owner}rollcall ${args.map(quoted).join(" ")}`;
}

/** Empty where the person is the owner, may do everything, or nothing is known. */
function asOwner(directory: string, environment: Call["environment"]): string {
  const owner = ownerOf(directory);
  // Who typed `sudo` is not who runs.
  const person = environment["SUDO_UID"] === undefined ? process.getuid?.() : Number(environment["SUDO_UID"]);
  if (owner === null || person === undefined || person === 0 || person === owner) return "";
  return `sudo -u ${userIn(users(), owner) ?? quoted(`#${owner}`)} `;
}

function ownerOf(directory: string): number | null {
  try {
    return statSync(directory).uid;
  } catch {
    return null;
  }
}

function users(): string {
  try {
    return readFileSync("/etc/passwd", "utf8");
  } catch {
    return "";
  }
}

const flag = (name: string, value: string | undefined): string =>
  value === undefined ? "" : ` ${name} ${quoted(value)}`;

/** As a shell must be given it. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
