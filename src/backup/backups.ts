// Makes backups while the service runs: one at a time, at intervals or when an operator asks. Also removes old ones,
// and tells people of a failure. The functions that make a copy and run the operator's command with it are passed in.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BackupPlan, PARTIAL } from "../domain/backup.ts";
import type { Refusal } from "../domain/errors.ts";
import { type Instant, MINUTE } from "../domain/time.ts";
import type { Backup, BackupFailure, BackupHealth, Backups, KeptBackup } from "../engine/api.ts";
import { backupName, nextBackupAt, surplusBackups } from "./backup-files.ts";
import { backupBytes, type CopySending, createMaking, keptIn, type MakingParts } from "./making.ts";
import type { AfterEnd } from "./programs.ts";

/**
 * `plan` says when backups are made and how many are kept. `send` runs the operator's command with each new backup in
 * the folder; `null` runs nothing. For a backup to a file that a person named, the command is not run. A reload may
 * change both.
 */
export type BackupSettings = Readonly<{ plan: BackupPlan; send: ((file: string) => CopySending) | null }>;

export interface BackupParts extends MakingParts, BackupSettings {
  readonly directory: string;
  readonly after: AfterEnd;
}

const LOOK_EVERY = MINUTE;

export type RunningBackups = ReturnType<typeof createBackups>;

export function createBackups(parts: BackupParts) {
  const { directory, clock, after } = parts;
  const making = createMaking(parts);
  const startedAt = clock.now();
  let { plan, send }: BackupSettings = parts;
  let lastFailure: BackupFailure | null = null;
  let cancel = (): void => {};
  let tell: ((failure: BackupFailure) => void) | null = null;

  function begin(named: string | null): Backup | Refusal {
    if (named !== null) return making.begin({ file: named });
    const file = join(directory, backupName(clock.now()));
    return making.begin({ file, prepare: () => tidy(directory), send, ended });
  }

  /** Notes how a backup ended, and removes surplus ones. When the same step fails again, people are not told again. */
  function ended({ copied, file, fault }: Backup): void {
    const before = lastFailure?.step;
    if (copied !== null) {
      const surplus = surplusBackups(readdirSync(directory), plan, clock.now());
      for (const name of surplus) rmSync(join(directory, name), { force: true });
      if (fault === null || before === "copy") lastFailure = null;
    }
    if (fault === null) return;
    lastFailure = { step: copied === null ? "copy" : "command", file, at: clock.now(), reason: fault };
    if (lastFailure.step !== before) tell?.(lastFailure);
  }

  function nextAt(kept: readonly KeptBackup[]): Instant | null {
    const failedAt = lastFailure?.step === "copy" ? lastFailure.at : null;
    return nextBackupAt(plan, { startedAt, keptAt: kept.map(({ at }) => at), failedAt }, clock.now());
  }

  function look(): void {
    cancel = after(LOOK_EVERY, look);
    const due = nextAt(keptIn(directory, clock.now()));
    if (due !== null && making.underWay() === null && clock.now() >= due) begin(null);
  }

  function health(): BackupHealth {
    const underWay = making.underWay();
    const kept = keptIn(directory, clock.now());
    return {
      directory,
      ...plan,
      underWay: underWay && { ...underWay, bytes: backupBytes(underWay.file) },
      lastFailure,
      nextAt: nextAt(kept),
      kept,
    };
  }

  return {
    ...({ begin, find: making.find, health } satisfies Backups),
    /** Begins to make backups at intervals. `failed` tells people of the first failure in a row. */
    start: (failed: (failure: BackupFailure) => void): void => {
      tell = failed;
      look();
    },
    reconfigure: (settings: BackupSettings): void => {
      ({ plan, send } = settings);
    },
    stop: (): Promise<void> => {
      tell = null;
      cancel();
      return making.stop();
    },
  };
}

/** Makes the folder of backups if it is missing, and removes unfinished files of a process that was killed. */
function tidy(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(directory)) if (name.endsWith(PARTIAL)) rmSync(join(directory, name), { force: true });
}
