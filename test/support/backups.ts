// Real backups for engines of tests: the copy is made by another process, as in the service.

import { join } from "node:path";
import { type BackupParts, createBackups, type RunningBackups } from "../../src/backup/backups.ts";
import { backupCopier } from "../../src/backup/programs.ts";
import { after, systemClock } from "../../src/cli/clock.ts";

const OURSELVES = [process.execPath, join(import.meta.dir, "../../src/main.ts")] as const;

/** Backups of this database into `backups` beside it. None is made unless a test asks for it. */
export const backupsOf = (database: string, changes: Partial<BackupParts> = {}): RunningBackups =>
  createBackups({
    database,
    directory: join(database, "../backups"),
    plan: { every: 0, keep: 7 },
    copy: backupCopier(OURSELVES, after),
    send: null,
    clock: systemClock,
    after,
    log: () => {},
    ...changes,
  });
