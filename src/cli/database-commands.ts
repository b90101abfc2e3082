// `rollcall restore FILE` replaces the database by a backup while the service does not run. A hidden command copies a
// database; the service runs it as another process, so that reports need not wait.

import { statSync } from "node:fs";
import { setPriority } from "node:os";
import { resolve } from "node:path";
import { backupName } from "../backup/backup-files.ts";
import type { ConfigFlags } from "../config/load.ts";
import { errorMessage } from "../domain/errors.ts";
import { visibleText } from "../domain/text.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { codeOf, orElse } from "../domain/unless-missing.ts";
import { sizeInWords } from "../domain/wording/size.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import { actionInWords } from "../engine/operations/operations.ts";
import { copyDatabase } from "../store/file/copy.ts";
import { restoreDatabase } from "../store/file/restore.ts";
import type { Carried, UndoneAct } from "../store/file/restored.ts";
import { askedWhat } from "../views/rows/audit-rows.ts";
import { type Environment, loadDirectoryHere, sayFaults } from "./config-commands.ts";
import { DONE, type Io, REFUSED } from "./io.ts";
import { say, sayRefused } from "./screens/table.ts";

/** A backup with more bytes than this takes long to check, so a line announces the check. */
const LARGE = 100_000_000;

/**
 * Replaces the database by the backup `file`. Returns exit code 0; 1 when the restore was refused or failed, which
 * leaves the database as it was; 2 when the configuration is faulty.
 */
export function runRestore(file: string, flags: ConfigFlags, environment: Environment, now: Instant, io: Io): number {
  const loaded = loadDirectoryHere(flags, environment);
  if ("faults" in loaded) return sayFaults(loaded.faults, io);
  process.umask(0o077);
  try {
    const suffix = `replaced-${backupName(now).replace(/^rollcall-|\.db$/g, "")}`;
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGE) say(io, `proving ${sizeInWords(size)}, which may take minutes`);
    const { database, bytes, monitors, replaced, carried } = restoreDatabase(loaded.directory, resolve(file), suffix);
    io.out(`restored ${database}: ${sizeInWords(bytes)}, ${counted(monitors, "monitor")}`);
    if (replaced !== null) io.out(`the replaced database is ${replaced}; delete it once you need it no more`);
    for (const line of carriedInWords(carried, replaced !== null)) io.out(line);
    io.out("next: start rollcall. What was reported since the backup is lost; jobs that were due since then count as");
    io.out("unheard, not as missed, and one message names them.");
    return DONE;
  } catch (error) {
    return sayRefused(io, faultInWords(error, file, loaded.directory));
  }
}

/**
 * Returns lines about what the restore took from the replaced database. They count the incidents that the next start
 * will report, and the incidents that are open in the backup but have since ended or been acknowledged.
 */
function carriedInWords(carried: Carried["carried"], wasReplaced: boolean): string[] {
  if (carried === null)
    return wasReplaced ? ["the replaced database cannot be read: who was told what since the backup is not known"] : [];
  const { lost, untold, changed, undone } = carried;
  return [
    lost > 0 && `${counted(lost, "incident")} since the backup will be told as closed by the restore`,
    untold > 0 && `messages about ${untold} of these that had not arrived will be sent before that`,
    changed > 0 && `${counted(changed, "open incident")} of the backup ended or was acknowledged since, and stays so`,
    undone.length > 0 && "what people did since the backup is undone; do again what still holds:",
    ...undone.map((act) => `  ${toIso(act.at)} ${undoneInWords(act)}`),
  ].filter((line) => line !== false);
}

/** Says what is undone, such as `paused a job: backup`. */
function undoneInWords({ action, application, monitorKey, details }: UndoneAct): string {
  const asked = askedWhat({ application, monitorKey, details: orElse({}, () => JSON.parse(details)) });
  const about = [
    monitorKey ?? application ?? "",
    ...asked.map((part) => (typeof part === "object" && "wrote" in part ? part.wrote : "")),
  ];
  return visibleText(`${actionInWords(action)}: ${about.filter((text) => text !== "").join(", ")}`.replace(/: $/, ""));
}

function faultInWords(error: unknown, file: string, directory: string): string {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return `${errorMessage(error)}: run the command as root, or as the owner of ${directory}; nothing was changed`;
    case "ENOSPC":
      return `the disk of ${directory} is full, and a restore needs room for a copy beside the database; nothing was changed`;
    case "EROFS":
      return `${directory} is on a file system that cannot be written; nothing was changed`;
    case "EISDIR":
      return `${resolve(file)} is a directory, not a backup; nothing was changed`;
    default:
      return errorMessage(error).startsWith("rollcall already runs on")
        ? `${errorMessage(error)}: stop it first, such as by systemctl stop rollcall; nothing was changed`
        : errorMessage(error);
  }
}

/** The priority (nice value) of the process that copies: lower than that of the service. */
const PRIORITY = 10;

/** Copies a database, and prints facts about the copy as JSON. Returns exit code 0, or 1 with a sentence on stderr. */
export function runCopy(from: string, to: string, io: Io): number {
  // A sandbox may forbid a lower priority. Then the copy is made at the service's priority, which is better than no
  // copy.
  orElse(undefined, () => setPriority(PRIORITY));
  process.umask(0o077);
  try {
    io.out(JSON.stringify(copyDatabase(from, to)));
    return DONE;
  } catch (error) {
    io.err(errorMessage(error));
    return REFUSED;
  }
}
