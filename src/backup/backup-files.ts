// How backup files are named, when the next backup is due, and which backups may be deleted.

import type { BackupPlan } from "../domain/backup.ts";
import type { Instant } from "../domain/time.ts";
import { HOUR, MINUTE, toIso } from "../domain/time.ts";

/**
 * How many milliseconds after a start the first backup is made at the earliest, because a start has other things to do
 * first.
 */
const AFTER_START = 10 * MINUTE;

/**
 * How many milliseconds after a failed backup the next try is made; when backups are made more often than that, their
 * interval counts.
 */
const AGAIN_AFTER = HOUR;

/**
 * Makes the file name of a backup, such as `rollcall-20260301T020000Z.db`. These names sort by time and need no quoting
 * in a shell.
 */
export const backupName = (at: Instant): string => `rollcall-${toIso(at).slice(0, 19).replaceAll(/[-:]/g, "")}Z.db`;

const NAME = /^rollcall-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

/** When the backup with this file name was made, to the second; `null` when the name is not one of `backupName`. */
export function backupTime(name: string): Instant | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  if (year === undefined) return null;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}

export interface BackupHistory {
  readonly startedAt: Instant;
  /** When each kept backup was made, as its name says. */
  readonly keptAt: readonly Instant[];
  /** When the last try to make a backup failed; `null` when it succeeded or when there was none. */
  readonly failedAt: Instant | null;
}

/**
 * Returns when the next automatic backup is due; `null` when none are made automatically. Times later than `now` come
 * from a wrong clock and delay nothing.
 */
export function nextBackupAt({ every }: BackupPlan, history: BackupHistory, now: Instant): Instant | null {
  if (every === 0) return null;
  const { startedAt, keptAt, failedAt } = history;
  const waits = [
    ...keptAt.map((at) => [at, every] as const),
    [startedAt, AFTER_START] as const,
    ...(failedAt === null ? [] : [[failedAt, Math.min(every, AGAIN_AFTER)] as const]),
  ];
  return Math.max(0, ...waits.filter(([at]) => at <= now).map(([at, wait]) => at + wait));
}

/** rollcall's own backups, the newest first. Those later than `now` come from a wrong clock, so they are last. */
export function newestBackups(names: readonly string[], now: Instant): readonly string[] {
  const ours = names.filter((name) => backupTime(name) !== null).sort();
  const isLater = (name: string): boolean => backupTime(name)! > now;
  return [...ours.filter((name) => !isLater(name)).toReversed(), ...ours.filter(isLater).toReversed()];
}

/**
 * Returns the file names of the backups that may be deleted: all except the newest `keep`. Names later than `now`,
 * which a wrong clock gave, are counted by themselves: the newest `keep` of these stay too.
 */
export function surplusBackups(names: readonly string[], { keep }: BackupPlan, now: Instant): readonly string[] {
  const ours = names.filter((name) => backupTime(name) !== null).sort();
  const isLater = (name: string): boolean => backupTime(name)! > now;
  const surplus = (some: readonly string[]) => some.slice(0, Math.max(0, some.length - keep));
  return [...surplus(ours.filter((name) => !isLater(name))), ...surplus(ours.filter(isLater))];
}
