// `rollcall serve`: reads the configuration and runs the service, until a signal stops it. Another signal makes it read
// the configuration again.

import { accessSync, constants, readdirSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/all-keys.ts";
import { formatFault } from "../../config/fault.ts";
import type { ConfigFlags } from "../../config/load.ts";
import type { Log } from "../../domain/log.ts";
import { codeOf, orElse } from "../../domain/unless-missing.ts";
import { readDescriptors } from "../../http/connections.ts";
import { bytesFree } from "../../store/file/database-files.ts";
import { systemClock } from "../clock.ts";
import { readerHere, sayFaults, warnOfRisks } from "../config-commands.ts";
import { VERSION } from "../executable.ts";
import { DONE, type Io, REFUSED } from "../io.ts";
import { ownUser, systemUser } from "../own-user.ts";
import { wantsColor } from "../screens/color.ts";
import { backupToRestore, LOST } from "./backup-service.ts";
import { logTypedBy, serviceCommandLineHere } from "./command-line.ts";
import { createInForce } from "./in-force.ts";
import { createLogger, type LogFormat } from "./logger.ts";
import { ListenFailure } from "./servers.ts";
import { startService } from "./service.ts";
import { openSupervisor } from "./supervisor.ts";

/**
 * Runs the service until SIGTERM or SIGINT. Returns exit code 0 after a stop, 1 when the service could not start, 2
 * when the configuration is faulty.
 */
export async function runServe(flags: ConfigFlags & { readonly log: LogFormat | null }, io: Io): Promise<number> {
  const read = readerHere(flags, process.env);
  const loaded = read([]);
  if ("faults" in loaded) return sayFaults(loaded.faults, io);
  // From here on, only this user can read the files that this process makes.
  process.umask(0o077);
  const { config, sources, warnings } = loaded;
  const inForce = createInForce(loaded, read);
  const log = createLogger({
    clock: systemClock,
    write: (line) => io.err(line),
    format: flags.log ?? (process.stderr.isTTY ? "pretty" : "json"),
    color: wantsColor(process.stderr.isTTY, process.env),
    redact: inForce.redact,
  });
  warnOfRisks(config, log);
  // From here on a signal stops the service, even while it is still starting.
  const told = hearSignals(log);
  log("info", "starting", { version: VERSION, sources, directory: config.storage.directory });
  for (const warning of warnings) log("warn", "configuration_doubtful", { warning: formatFault(warning) });
  const commandLine = serviceCommandLineHere(flags, config.storage.directory);
  const supervisor = openSupervisor(process.env, process.pid, systemClock, log);
  const service = await startService(inForce, supervisor, logTypedBy(log, commandLine), io, commandLine).catch(
    (error: unknown) => {
      const rule = remedyOf(error, config, log);
      log("error", "start_failed", { error: error instanceof Error ? error.message : error, ...(rule && { rule }) });
      return null;
    },
  );
  if (service === null) return REFUSED;
  told.toReload(service.reload);
  await told.toStop;
  supervisor.stopping();
  await service.stop();
  log("info", "stopped");
  return DONE;
}

function hearSignals(log: Log) {
  const { promise: toStop, resolve } = Promise.withResolvers<void>();
  let isStopping = false;
  let isAsked = false;
  let reload = (): void => {
    isAsked = true;
  };
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(REFUSED);
    isStopping = true;
    log("info", "stopping", { signal });
    resolve();
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("SIGHUP", () => {
    if (!isStopping) reload();
  });
  return {
    /** Resolves at the first SIGTERM or SIGINT; a second one ends the process at once. */
    toStop,
    /**
     * Calls `run` at each SIGHUP, and at once if one came before. A terminal also sends SIGHUP when it is closed, and
     * the service must survive that.
     */
    toReload: (run: () => void): void => {
      reload = run;
      if (isAsked) run();
    },
  };
}

// Tells an operator what to do when the service does not start: a sentence for each common fault of a machine.

/**
 * Returns what an operator can do about an error; `null` for an error that is not known here. If the database is
 * damaged, it reads backups from end to end to find a good one.
 */
function remedyOf(error: unknown, { server, storage: { directory } }: Config, log: Log): string | null {
  const failed = error instanceof ListenFailure ? error : { setting: "server.listen", address: server };
  const { setting } = failed;
  const { host, port } = failed.address;
  const address = `${host}:${port}`;
  const fault = faultOf(error, address);
  if (fault?.startsWith("SQLITE_IOERR")) return isFull(directory) ? fullDisk(directory) : badDisk(directory);
  switch (fault) {
    case "EADDRINUSE":
      return `another program listens on ${address}: stop it (ss -ltnp names it), or set ${setting} to another port`;
    case "EADDRNOTAVAIL":
      return `this machine has no address ${host}: set ${setting} to one that it has`;
    case "PORT":
      return `only root may listen on port ${port}: set ${setting} to one above 1023, and let a proxy take ${port}`;
    case "RUNS":
      return `one rollcall serves a directory: stop the other (fuser -v ${directory}/rollcall.lock names it), or give this one a storage.directory of its own`;
    case "EMFILE":
    case "ENFILE":
      return tooFewFiles();
    case "EROFS":
      return `${directory} is on a file system that cannot be written: mount it for writing, or set storage.directory`;
    case "ENOSPC":
    case "SQLITE_FULL":
      return fullDisk(directory);
    case "EEXIST":
    case "ENOTDIR":
      return `${directory} is, or lies below, a file: set storage.directory to a directory`;
    case "ENOENT":
    case "ELOOP":
    case "ENAMETOOLONG":
      return `no directory can be made at ${directory}: set storage.directory to another`;
    case "EACCES":
    case "EPERM":
    case "SQLITE_READONLY":
      return rightsTo(directory);
    case "SQLITE_CANTOPEN":
      return areFilesShort() ? tooFewFiles() : rightsTo(directory);
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
    case "DAMAGED":
    case LOST:
      return backupToRestore(directory, log);
    default:
      return null;
  }
}

/**
 * Returns the code of the error or of its cause. For faults that only the message shows, it returns a word of ours,
 * such as "RUNS".
 */
function faultOf(error: unknown, address: string): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === `permission denied ${address}`) return "PORT";
  if (error.message.startsWith("rollcall already runs on")) return "RUNS";
  if (error.message.includes("is not a database")) return "DAMAGED";
  return codeOf(error) ?? faultOf(error.cause, address);
}

const fullDisk = (directory: string): string => `the disk of ${directory} is full: free some space`;

const badDisk = (directory: string): string =>
  `the disk of ${directory} cannot be read or written: dmesg says more; on another disk, put a backup back with rollcall restore`;

const isFull = (directory: string): boolean => bytesFree(directory) < ROOM;

/** How many free bytes SQLite needs on the disk for its log and the index of the log. */
const ROOM = 256 * 1_024;

/** Whether this process has too few file descriptors left for SQLite, which says only that it could not open a file. */
function areFilesShort(): boolean {
  const descriptors = readDescriptors();
  return descriptors !== null && descriptors.limit - descriptors.inUse() < OPENED_BY_SQLITE;
}

/** How many free file descriptors are enough for SQLite: it opens three files, the database, its log and its index. */
const OPENED_BY_SQLITE = 4;

const tooFewFiles = (): string =>
  `this process may have only ${readDescriptors()?.limit ?? "a few"} files open: raise the limit to 1024 or more (LimitNOFILE= of the unit, ulimit -n)`;

// Finds out why this process may not use its data directory, and says what allows it. It checks the directory and each
// file in it, and changes nothing.

function rightsTo(directory: string): string {
  const user = ownUser() ?? String(process.getuid?.());
  const found = look(directory);
  if (found === "hidden")
    return `${user} may not enter ${nearestSeen(directory)}, below which ${directory} is: ${elsewhere}`;
  if (found === "missing")
    return `${user} may not make ${directory}: make it as root (install -d -m 700 -o ${user} ${directory}), or ${elsewhere}`;
  const barred = [directory, ...filesIn(directory)].find((path) => !mayUse(path)) ?? directory;
  const seen = look(barred);
  const owner = typeof seen === "string" ? null : seen.uid;
  if (owner === null || owner === process.getuid?.())
    return `${user} may not write to ${barred}: chmod -R u+rwX ${directory}`;
  return `${barred} belongs to ${systemUser(owner) ?? owner}, and rollcall runs as ${user}: if ${directory} holds nothing but rollcall's files, chown -R ${user} ${directory}; else ${elsewhere}`;
}

const elsewhere = "set storage.directory to a directory of its own";

function look(path: string): Stats | "missing" | "hidden" {
  try {
    return statSync(path);
  } catch (error) {
    return codeOf(error) === "EACCES" ? "hidden" : "missing";
  }
}

function nearestSeen(path: string): string {
  const above = dirname(path);
  return typeof look(above) === "string" && above !== path ? nearestSeen(above) : above;
}

/**
 * Returns the files in a directory. Folders in it, such as that of backups, are not searched, because rollcall runs
 * without them.
 */
const filesIn = (directory: string): string[] =>
  orElse([], () => readdirSync(directory).sort()).map((name) => join(directory, name));

function mayUse(path: string): boolean {
  const seen = look(path);
  if (typeof seen === "string") return false;
  const enter = seen.isDirectory() ? constants.X_OK : 0;
  return orElse(false, () => accessSync(path, constants.R_OK | constants.W_OK | enter)) !== false;
}
