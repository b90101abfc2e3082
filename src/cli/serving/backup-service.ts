// Sets up the backups of `rollcall serve` by the configuration. Also names the backup to restore when the database is
// damaged or gone; that backup is first read from end to end.

import { readFileSync, statSync } from "node:fs";
import { type BackupSettings, createBackups } from "../../backup/backups.ts";
import { keptIn } from "../../backup/making.ts";
import { backupCopier, backupSender } from "../../backup/programs.ts";
import type { Config } from "../../config/all-keys.ts";
import { loadDirectory } from "../../config/load.ts";
import { errorMessage } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { proveDatabase } from "../../store/file/copy.ts";
import { DATABASE_FILE, openDirectory } from "../../store/file/database.ts";
import { after, systemClock } from "../clock.ts";
import { environmentForOthers, executableCommand } from "../executable.ts";

const backupsDirectory = (directory: string): string => `${directory}/backups`;

export function backupsOf({ storage }: Config, log: Log) {
  const { directory } = storage;
  return createBackups({
    ...backupSettings(storage),
    database: `${directory}/${DATABASE_FILE}`,
    directory: backupsDirectory(directory),
    copy: backupCopier(executableCommand(), after),
    clock: systemClock,
    after,
    log,
  });
}

export const backupSettings = ({ backups: plan, backupCommand }: Config["storage"]): BackupSettings => ({
  plan,
  send: backupCommand && backupSender(backupCommand, environmentForOthers(), after),
});

/** Opens the data directory as `openDirectory` does, but throws when its database is lost. */
export function openUnlessLost(
  ...[directory, at, log]: Parameters<typeof openDirectory>
): ReturnType<typeof openDirectory> {
  assertNotLost(directory);
  return openDirectory(directory, at, log);
}

/**
 * Throws when there are backups but no database. A new, empty database would know no key and no job, and so would raise
 * no alarm.
 */
function assertNotLost(directory: string): void {
  const path = `${directory}/${DATABASE_FILE}`;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? null;
  if (size !== null && size > 0) return;
  if (keptIn(backupsDirectory(directory), systemClock.now()).length === 0) return;
  const error = new Error(`${path} is ${size === null ? "gone" : "empty"}, though there are backups of it`);
  throw Object.assign(error, { code: LOST });
}

export const LOST = "DATABASE_LOST";

/** Returns a sentence for the operator with the newest backup that is not damaged, and the command that restores it. */
export function backupToRestore(directory: string, log: Log): string {
  const folder = backupsDirectory(directory);
  const restore = `${settingOf(directory)}rollcall restore`;
  const kept = keptIn(folder, systemClock.now());
  for (const [damaged, { file, bytes }] of kept.entries()) {
    log("info", "proving_backup", { file, bytes });
    try {
      proveDatabase(file);
      const newer = damaged === 0 ? "" : ` (of the newer ones ${damaged === 1 ? "one is" : `${damaged} are`} damaged)`;
      return `put the newest backup back that is whole${newer}: ${restore} ${file}`;
    } catch (error) {
      log("warn", "backup_damaged", { file, fault: errorMessage(error) });
    }
  }
  const none =
    kept.length === 0
      ? `there is no backup in ${folder}`
      : `none of the ${counted(kept.length, "backup")} in ${folder} is whole`;
  return `${none}: put another copy back (${restore} FILE), or move ${DATABASE_FILE}, ${DATABASE_FILE}-wal and backups out of ${directory} to begin with new keys`;
}

/**
 * Returns the setting of an environment variable to type before `rollcall restore`, so that it finds this directory.
 * Returns the empty text when `rollcall restore` finds the directory by itself.
 */
function settingOf(directory: string): string {
  const readFile = (path: string): string => readFileSync(path, "utf8");
  const found = loadDirectory({ flags: {}, environment: {}, cwd: "/", readFile, readFound: readFile });
  return "directory" in found && found.directory === directory ? "" : `ROLLCALL_STORAGE__DIRECTORY=${directory} `;
}
