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
  /** When those were made that are kept, by their names. */
  readonly keptAt: readonly Instant[];
  /** When the last try failed; null: it did not, or there was none. */
  readonly failedAt: Instant | null;
}

/** What is later than `now` comes from a clock that was wrong, and puts nothing off. */
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

/**
 * Those of the names that are our own, the newest first. Names later than `now` come from a clock that was wrong: no
 * one knows how old they are, so they come last.
 */
export function newestBackups(names: readonly string[], now: Instant): readonly string[] {
  const ours = names.filter((name) => backupTime(name) !== null).sort();
  const isLater = (name: string): boolean => backupTime(name)! > now;
  return [...ours.filter((name) => !isLater(name)).toReversed(), ...ours.filter(isLater).toReversed()];
}

/**
 * Those of the names that may go: all but the newest `keep` of our own. Names later than `now` come from a clock that
 * was wrong, before or now: they are counted by themselves, so that they push none of the others out.
 */
export function surplusBackups(names: readonly string[], { keep }: BackupPlan, now: Instant): readonly string[] {
  const ours = names.filter((name) => backupTime(name) !== null).sort();
  const isLater = (name: string): boolean => backupTime(name)! > now;
  const surplus = (some: readonly string[]) => some.slice(0, Math.max(0, some.length - keep));
  return [...surplus(ours.filter((name) => !isLater(name))), ...surplus(ours.filter(isLater))];
}
