// `rollcall restore FILE`, which replaces the database by a backup while the service does not run; and the hidden
// command that copies a database, which the service runs as another process, so that no report waits.

import { statSync } from "node:fs";
import { setPriority } from "node:os";
import { resolve } from "node:path";
import type { ConfigFlags } from "../config/load.ts";
import { backupName } from "../domain/backup.ts";
import { errorMessage } from "../domain/errors.ts";
import type { Instant } from "../domain/time.ts";
import { codeOf, orElse } from "../domain/unless-missing.ts";
import { sizeInWords } from "../domain/wording/size.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import { copyDatabase } from "../store/file/copy.ts";
import { restoreDatabase } from "../store/file/restore.ts";
import type { Carried } from "../store/file/restored.ts";
import { type Environment, loadDirectoryHere, sayFaults } from "./config-commands.ts";
import { DONE, type Io, REFUSED } from "./io.ts";
import { say, sayRefused } from "./screens/table.ts";

/** How many bytes a backup must have for a line to announce its check; a smaller one is checked in a moment. */
const LARGE = 100_000_000;

/**
 * Restores a backup. Returns exit code 0; 1 when it was refused or failed, and then the database is as it was; 2 for a
 * faulty configuration.
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

/** Says what the first start will report, because the replaced database knows it and the backup does not. */
function carriedInWords(carried: Carried["carried"], wasReplaced: boolean): string[] {
  if (carried === null)
    return wasReplaced ? ["the replaced database cannot be read: who was told what since the backup is not known"] : [];
  const { lost, untold, changed } = carried;
  return [
    untold > 0 && `${counted(untold, "incident")} that no one was told of yet will be told at the start`,
    lost > untold && `${counted(lost - untold, "incident")} since the backup will be told as closed by the restore`,
    changed > 0 && `${counted(changed, "open incident")} of the backup ended or was acknowledged since, and stays so`,
  ].filter((line) => line !== false);
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
      return `${file} is a directory, not a backup; nothing was changed`;
    default:
      return errorMessage(error).startsWith("rollcall already runs on")
        ? `${errorMessage(error)}: stop it first, such as by systemctl stop rollcall; nothing was changed`
        : errorMessage(error);
  }
}

/** The priority of a copy, which is lower than that of the service. */
const PRIORITY = 10;

/** Prints the facts about the copy as JSON. It returns exit code 0, or 1 with a sentence on stderr. */
export function runCopy(from: string, to: string, io: Io): number {
  // A sandbox may forbid a lower priority; a copy at the service's own priority is better than none.
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
