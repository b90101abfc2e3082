// The backups of `rollcall serve`, put together from the configuration.

import { type BackupSettings, createBackups, type RunningBackups } from "../../backup/backups.ts";
import { copierOf } from "../../backup/copy-database.ts";
import { sendingOf } from "../../backup/hook.ts";
import type { Config } from "../../config/keys.ts";
import type { Log } from "../../domain/log.ts";
import { DATABASE_FILE } from "../../store/file/database.ts";
import { after, systemClock } from "../clock.ts";
import { environmentForOthers, ourselves } from "../ourselves.ts";

/** Where those go that are made by themselves. */
export const backupsDirectory = (directory: string): string => `${directory}/backups`;

export function backupsOf({ storage }: Config, log: Log): RunningBackups {
  const { directory } = storage;
  return createBackups({
    ...backupSettings(storage),
    database: `${directory}/${DATABASE_FILE}`,
    directory: backupsDirectory(directory),
    copy: copierOf({ ourselves: ourselves(), after }),
    clock: systemClock,
    after,
    log,
  });
}

/** What may change while the service runs. */
export const backupSettings = ({ backups: plan, backupCommand }: Config["storage"]): BackupSettings => ({
  plan,
  send: backupCommand && sendingOf(backupCommand, environmentForOthers(), after),
});
