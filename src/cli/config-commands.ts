// Reads the configuration for commands of this machine. `rollcall config check` prints every fault in it, or what the
// configuration means; `rollcall init` writes a commented file. Neither prints a secret, only counts, names and
// sources.

import type { Stats } from "node:fs";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/all-keys.ts";
import type { Destination } from "../config/destination-keys.ts";
import { exampleToml } from "../config/example-file.ts";
import { type Fault, formatFault } from "../config/fault.ts";
import type { ConfigFlags, Inputs, LoadedDirectory } from "../config/load.ts";
import { loadConfig, loadDirectory } from "../config/load.ts";
import { UntrustedFile } from "../config/place.ts";
import { createReader } from "../config/reader.ts";
import { isSampleSecret, SAMPLE_STATUS_TOKEN } from "../config/vocabulary.ts";
import { accountOf, barrierTo } from "../discover/accounts.ts";
import { type MachineFiles, machineFilesAt } from "../discover/host.ts";
import type { Log } from "../domain/log.ts";
import { codeOf, orElse } from "../domain/unless-missing.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import { isWritableByOthers } from "../store/file/database-files.ts";
import { programHere } from "./executable.ts";
import { DONE, type Io, MISUSED, REFUSED } from "./io.ts";
import { type MachineZone, machineZone, ZONE_RULE } from "./machine-zone.ts";
import { isRootOrSelf, systemUser, systemUserOrNumber, systemUserWhoReads } from "./own-user.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const readerHere = (flags: ConfigFlags, environment: Environment) =>
  createReader(inputsHere(flags, environment));

export const loadDirectoryHere = (flags: ConfigFlags, environment: Environment): LoadedDirectory =>
  loadDirectory(inputsHere(flags, environment));

const inputsHere = (flags: ConfigFlags, environment: Environment): Inputs => ({
  flags,
  environment,
  cwd: process.cwd(),
  readFile: (path) => readFileSync(path, "utf8"),
  readFound: readOwn,
  readerOf: systemUserWhoReads,
});

/**
 * Reads a configuration file, unless another user may have written it. The open file is both checked and read, so that
 * it cannot be replaced between the two.
 */
function readOwn(path: string): string {
  const file = openSync(path, "r");
  try {
    // Only root can put a file into /etc, so a user trusts a file in /etc even if it belongs to another user. Root does
    // not trust it: that other user could otherwise steer root's commands.
    const isPlaced = path.startsWith("/etc/") && process.getuid?.() !== 0;
    const why = whyStrange(fstatSync(file), isPlaced) ?? whyStrange(lstatSync(path), isPlaced);
    if (why !== null) throw new UntrustedFile(why);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Returns why a user other than root or this one may change the file; that user could make our commands ask a false
 * service. Returns `null` when no such user may.
 */
function whyStrange(facts: Stats, isPlaced: boolean): string | null {
  if (!isPlaced && !isRootOrSelf(facts.uid)) return `it belongs to ${systemUserOrNumber(facts.uid)}`;
  if (facts.isSymbolicLink()) return null;
  const others = (facts.mode & 0o002) !== 0;
  // True when the file's group may write it and is neither root's group nor this user's own. Many systems give each
  // user a group without other members, which may write.
  const group = (facts.mode & 0o020) !== 0 && facts.gid !== 0 && facts.gid !== process.getgid?.();
  return others || group ? `others may write it (mode ${(facts.mode & 0o777).toString(8)})` : null;
}

/**
 * Checks the configuration. Returns exit code 0, or 2 with one fault a line on stderr; warnings go to stderr too. Root
 * can read every file. So for root it also checks that the user as whom the service runs may read each file.
 */
export function runConfigCheck(flags: ConfigFlags, environment: Environment, io: Io): number {
  const read: string[] = [];
  const inputs = inputsHere(flags, environment);
  const noting = (reader: (path: string) => string) => (path: string) => {
    const text = reader(path);
    read.push(path);
    return text;
  };
  const loaded = loadConfig({ ...inputs, readFile: noting(inputs.readFile), readFound: noting(inputs.readFound) });
  if ("faults" in loaded) return sayFaults(loaded.faults, io);
  const shut =
    process.getuid?.() === 0 ? shutToService(read, loaded.config.storage.directory, machineFilesAt("/")) : [];
  for (const line of shut) io.err(line);
  if (shut.length > 0) return MISUSED;
  for (const warning of loaded.warnings) io.err(`warning: ${formatFault(warning)}`);
  warnOfRisks(loaded.config, (_level, event, { rule, ...what } = {}) =>
    io.err(`warning: ${Object.values(what).join(" ")}: ${event.replaceAll("_", " ")}, ${rule}`),
  );
  const { doubt } = machineZone();
  if (doubt !== null && loaded.config.server.timezone === null) io.err(`warning: ${doubt}: ${ZONE_RULE}`);
  io.out("configuration ok");
  io.out(`read from: ${loaded.sources.length === 0 ? "nothing, all defaults" : loaded.sources.join(", ")}`);
  for (const line of configSummary(loaded.config)) io.out(line);
  return DONE;
}

export function sayFaults(faults: readonly Fault[], io: Io): number {
  for (const fault of faults) io.err(formatFault(fault));
  return MISUSED;
}

const OWN_FILE = "/etc/rollcall/rollcall.toml";

const UNITS = [
  "/etc/systemd/system",
  "/run/systemd/system",
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
];

/**
 * Returns a line for each of these files that the service's user may not read. The line gives the command that allows
 * it.
 */
export function shutToService(files: readonly string[], directory: string, host: MachineFiles): string[] {
  const user = serviceUser(files, directory, host);
  if (user === null || user === "root") return [];
  const account = accountOf(user, host);
  const paths = files.flatMap((path) => barrierTo(path, account, host) ?? []);
  return [...new Set(paths)].map((path) => {
    const bits = host.facts(path)?.kind === "directory" ? "g+x" : "g+r";
    return `${path}: ${user}, as whom the service runs, may not read it: chgrp "$(id -gn ${user})" ${path} && chmod ${bits} ${path}`;
  });
}

/**
 * Returns the user as whom the service runs: the owner of the data, or else the user in systemd's unit. The unit counts
 * only if the configuration is the usual file. Returns `null` when the user is not known.
 */
function serviceUser(files: readonly string[], directory: string, host: MachineFiles): string | null {
  const owner = host.facts(directory)?.uid;
  if (owner !== undefined && owner !== 0) return systemUser(owner);
  if (!files.includes(OWN_FILE)) return null;
  const units = UNITS.map((place) => host.read(`${place}/rollcall.service`));
  return /^\s*User\s*=\s*(\S+)/m.exec(units.find((text) => text !== null) ?? "")?.[1] ?? null;
}

function configSummary({ server, storage, smtp, team, destinations, applications }: Config): string[] {
  const named = [...destinations.values()].map(destinationInWords);
  const slugs = [...applications].map(
    ([slug, { monitors }]) => `${slug} (${counted(monitors.size, "monitor")} configured)`,
  );
  return [
    `listens on: ${server.host.includes(":") ? `[${server.host}]` : server.host}:${server.port}${server.tls === null ? "" : " with TLS"}`,
    `keeps data in: ${storage.directory}`,
    `reads schedules in: ${server.timezone ?? "the time zone that this machine had at the first start"}`,
    `sends mail: ${smtp === null ? "no" : `through ${smtp.host}:${smtp.port} (${smtp.security}) to ${counted(team.members.length, "member")}`}`,
    `destinations: ${named.length === 0 ? "none, alerts reach nobody unless a command added a destination" : named.join(", ")}`,
    `applications: ${slugs.length === 0 ? "none configured" : slugs.join(", ")}`,
  ];
}

/**
 * Describes a destination, as in `alerts (ntfy)`. A destination of type `email` that names no recipients sends to the
 * members of the team.
 */
function destinationInWords(destination: Destination): string {
  const { name, type } = destination;
  const toTeam = type === "email" && destination.to === null ? " to the members of [team]" : "";
  return name === type && toTeam === "" ? name : `${name} (${type}${toTeam})`;
}

const NAME = "rollcall.toml";
/** The new file may hold secrets, so only its owner may read it. */
const OWNER_ONLY = 0o600;

/** Writes a new file, whole or not at all: half a file would keep the next `init` from writing one. */
function writeNew(path: string, text: string): void {
  // `wx` never overwrites a file, not even one that has just appeared.
  const file = openSync(path, "wx", OWNER_ONLY);
  try {
    writeFileSync(file, text);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Writes `rollcall.toml`. `timezone` is this machine's zone, which becomes the server's (R13), or `null` when it is not
 * known. Returns exit code 0, or 1 when the file exists or cannot be written.
 */
export function runInit(directory: string, { timezone, doubt }: MachineZone, io: Io): number {
  const file = join(directory, NAME);
  if (existsSync(file)) return refuseWith(io, `${file} exists already; nothing was written`);
  try {
    mkdirSync(directory, { recursive: true });
    writeNew(file, exampleToml(timezone));
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return refuseWith(io, `${file} cannot be written (${code})`);
  }
  io.out(`wrote ${file}`);
  if (doubt !== null) io.err(`warning: ${doubt}`);
  io.out(
    timezone === null
      ? "schedules are read in UTC: this machine does not say its time zone, server.timezone sets another"
      : `schedules are read in ${timezone}, the time zone of this machine: server.timezone sets another`,
  );
  io.out(`next: edit it, then run ${programHere()} config check --config ${file}`);
  return DONE;
}

function refuseWith(io: Io, line: string): number {
  io.err(line);
  return REFUSED;
}

export function warnOfRisks({ storage, destinations, statusPages, server, web }: Config, log: Log): void {
  const { directory } = storage;
  if (isWritableByOthers(directory)) {
    const rule = `others may replace the database: chmod go-w ${directory}`;
    log("warn", "directory_open_to_others", { directory, rule });
  }
  for (const { name, ...destination } of destinations.values()) {
    if ("program" in destination) warnOfProgram(name, destination.program, log);
    if (!("secret" in destination && isSampleSecret(destination.secret))) continue;
    const rule =
      'everybody knows the secret of an example: make one with echo "whsec_$(head -c 24 /dev/urandom | base64)"';
    log("warn", "sample_secret", { destination: name, rule });
  }
  const rule = "everybody knows the token of the example: make one with openssl rand -hex 20";
  for (const { application, token } of statusPages)
    if (token === SAMPLE_STATUS_TOKEN) log("warn", "sample_token", { application, rule });
  if (web?.trustedUserSecret === SAMPLE_STATUS_TOKEN)
    log("warn", "sample_token", { key: "web.trusted_user_secret", rule });
  if (server.metricsToken === SAMPLE_STATUS_TOKEN) log("warn", "sample_token", { key: "server.metrics_token", rule });
  warnOfPlainHttp(server, log);
}

/**
 * Warns when jobs on other machines could reach rollcall only over plain HTTP: it refuses such reports before it reads
 * their key.
 */
function warnOfPlainHttp({ host, tls, publicUrl, plainHttp }: Config["server"], log: Log): void {
  const isHere = /^(?:127\.|::1$|localhost$)/.test(host);
  if (isHere || tls !== null || plainHttp === "accept" || publicUrl?.startsWith("https:")) return;
  const rule =
    "reports from other machines are refused: give it HTTPS (server.tls_cert, or a proxy and server.public_url), or set server.plain_http";
  log("warn", "nothing_brings_https", { listen: host, rule });
}

function warnOfProgram(destination: string, program: string, log: Log): void {
  const isFile = orElse(false, () => statSync(program).isFile());
  const isExecutable = orElse(false, () => {
    accessSync(program, constants.X_OK);
    return true;
  });
  const why = isFile ? `make it executable: chmod +x ${program}` : `there is no file ${program}`;
  if (!isExecutable) log("warn", "program_cannot_run", { destination, rule: why });
  const rule = `others may change what runs: chmod go-w ${program}`;
  if (isWritableByOthers(program)) log("warn", "program_open_to_others", { destination, rule });
}
