// `rollcall config check`: reads the configuration as `serve` would and reports every fault, or what it means. Prints
// no secret: only counts, names and the sources it read.

import { closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import type { Config } from "../config/config.ts";
import type { Destination } from "../config/destination.ts";
import { formatFault } from "../config/fault.ts";
import {
  type ConfigFlags,
  type Inputs,
  type Loaded,
  type LoadedDirectory,
  loadConfig,
  loadDirectory,
} from "../config/load.ts";
import { Stranger } from "../config/surroundings.ts";
import { DONE, type Io, MISUSED } from "./io.ts";
import { isOurs, userNamed } from "./own-user.ts";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of this process: from its files, with this environment, relative to its working directory. */
export const loadHere = (flags: ConfigFlags, environment: Environment): Loaded =>
  loadConfig(inputsHere(flags, environment));

/** Reads only where the data directory is, and nothing else. */
export const loadDirectoryHere = (flags: ConfigFlags, environment: Environment): LoadedDirectory =>
  loadDirectory(inputsHere(flags, environment));

const inputsHere = (flags: ConfigFlags, environment: Environment): Inputs => ({
  flags,
  environment,
  cwd: process.cwd(),
  readFile: (path) => readFileSync(path, "utf8"),
  readFound: readOwn,
});

/** What is checked is what is read, whatever takes its name meanwhile. */
function readOwn(path: string): string {
  const file = openSync(path, "r");
  try {
    // Only root puts a file in /etc: another owner there is root's will, but for commands of root itself.
    const isPlaced = path.startsWith("/etc/") && process.getuid?.() !== 0;
    const why = whyStrange(fstatSync(file), isPlaced) ?? whyStrange(lstatSync(path), isPlaced);
    if (why !== null) throw new Stranger(why);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Whoever may write a file decides which service a command of ours speaks to. Null: that is root, or this user. */
function whyStrange(facts: Stats, isPlaced: boolean): string | null {
  if (!isPlaced && !isOurs(facts.uid)) return `it belongs to ${userNamed(facts.uid)}`;
  if (facts.isSymbolicLink()) return null;
  const others = (facts.mode & 0o002) !== 0;
  // Many systems give each user a group alone, and let it write.
  const group = (facts.mode & 0o020) !== 0 && facts.gid !== 0 && facts.gid !== process.getgid?.();
  return others || group ? `others may write it (mode ${(facts.mode & 0o777).toString(8)})` : null;
}

/** Exit code 0, or 2 with one fault per line on stderr; warnings go there too. */
export function runConfigCheck(flags: ConfigFlags, environment: Environment, io: Io): number {
  const loaded = loadHere(flags, environment);
  if ("faults" in loaded) {
    for (const fault of loaded.faults) io.err(formatFault(fault));
    return MISUSED;
  }
  for (const warning of loaded.warnings) io.err(`warning: ${formatFault(warning)}`);
  io.out("configuration ok");
  io.out(`read from: ${loaded.sources.length === 0 ? "nothing, all defaults" : loaded.sources.join(", ")}`);
  for (const line of summaryOf(loaded.config)) io.out(line);
  return DONE;
}

function summaryOf({ server, storage, smtp, team, destinations, applications }: Config): string[] {
  const named = [...destinations.values()].map(destinationInWords);
  const slugs = [...applications].map(
    ([slug, { monitors }]) => `${slug} (${count(monitors.size, "monitor")} configured)`,
  );
  return [
    `listens on: ${server.host.includes(":") ? `[${server.host}]` : server.host}:${server.port}${server.tls === null ? "" : " with TLS"}`,
    `keeps data in: ${storage.directory}`,
    `reads schedules in: ${server.timezone ?? "the time zone that this machine had at the first start"}`,
    `sends mail: ${smtp === null ? "no" : `through ${smtp.host}:${smtp.port} (${smtp.security}) to ${count(team.members.length, "member")}`}`,
    `destinations: ${named.length === 0 ? "none, alerts reach nobody" : named.join(", ")}`,
    `applications: ${slugs.length === 0 ? "none configured" : slugs.join(", ")}`,
  ];
}

/** Mail without recipients of its own goes to the team; `email` does so by itself, without a table. */
function destinationInWords(destination: Destination): string {
  const { name, type } = destination;
  const toTeam = type === "email" && destination.to === null ? " to the members of [team]" : "";
  return name === type && toTeam === "" ? name : `${name} (${type}${toTeam})`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
