// What files of backups are called, when the next backup is due, and which may go.

import { HOUR, type Instant, MINUTE, toIso } from "./time.ts";

export interface BackupPlan {
  /** Milliseconds from one to the next; 0: none are made by themselves. */
  readonly every: number;
  readonly keep: number;
}

/** While a copy is being made it has this at the end of its name. */
export const PARTIAL = ".partial";

/** A start has other things to do first. */
const AFTER_START = 10 * MINUTE;
/** After a failure, unless the next is due sooner anyway. */
const AGAIN_AFTER = HOUR;

/** `rollcall-20260301T020000Z.db`: sorts by time, and has no character that a shell or a copy treats specially. */
export const backupName = (at: Instant): string => `rollcall-${toIso(at).slice(0, 19).replaceAll(/[-:]/g, "")}Z.db`;

const NAME = /^rollcall-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

/** When the backup of this name was made, to the second; null: the file is none that we made by ourselves. */
export function backupTime(name: string): Instant | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (year === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}

export interface BackupHistory {
  readonly startedAt: Instant;
  readonly newestAt: Instant | null;
  /** When the last try failed; null: it did not, or there was none. */
  readonly failedAt: Instant | null;
}

export function nextBackupAt({ every }: BackupPlan, { startedAt, newestAt, failedAt }: BackupHistory): Instant | null {
  if (every === 0) return null;
  const due = Math.max(newestAt === null ? 0 : newestAt + every, startedAt + AFTER_START);
  return failedAt === null ? due : Math.max(due, failedAt + Math.min(every, AGAIN_AFTER));
}

/** Those of the names that may go: all but the newest `keep` of our own. */
export function surplusBackups(names: readonly string[], { keep }: BackupPlan): readonly string[] {
  const ours = names.filter((name) => backupTime(name) !== null).sort();
  return ours.slice(0, Math.max(0, ours.length - keep));
}
