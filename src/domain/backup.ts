// The plan by which backups are made, and how the file of an unfinished one is named.

export interface BackupPlan {
  /** Milliseconds between two backups; 0 when none are made automatically. */
  readonly every: number;
  readonly keep: number;
}

/** The end of a backup's file name while the backup is being made. */
export const PARTIAL = ".partial";
