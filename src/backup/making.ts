// Makes one backup at a time: copies the database, runs the operator's command with the copy, and remembers how that
// ended.

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { PARTIAL } from "../domain/backup.ts";
import { errorMessage, type Refusal, refuse, refuseField } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Instant } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { Backup, Clock, KeptBackup } from "../engine/api.ts";
import { backupTime, newestBackups } from "./backup-files.ts";

export interface Work<Result> {
  readonly ended: Promise<Result>;
  kill(): void;
}

export type Copying = Work<NonNullable<Backup["copied"]> | { readonly fault: string }>;

/**
 * The operator's command while it runs with a copy. Its result is `null` when it succeeded, otherwise a text that says
 * what went wrong.
 */
export type CopySending = Work<string | null>;

export interface MakingParts {
  readonly database: string;
  readonly copy: (from: string, to: string) => Copying;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A request for a backup. `prepare` is called before the copy is made, `send` runs the operator's command with the
 * copy, and `ended` is called at the end. Errors that `prepare` throws are a fault of the backup; those of `ended` are
 * only logged.
 */
export interface WantedCopy {
  readonly file: string;
  readonly prepare?: () => void;
  readonly send?: ((file: string) => CopySending) | null;
  readonly ended?: (backup: Backup) => void;
}

const BACKUPS_REMEMBERED = 20;

export function createMaking({ database, copy, clock, log }: MakingParts) {
  /** The last backups by their ids, for callers who ask later how their backup ended. */
  const backups = new Map<number, Backup>();
  let numbered = 0;
  let underWay: Backup | null = null;
  let done: Promise<void> = Promise.resolve();
  let kill = (): void => {};

  function keep(backup: Backup): Backup {
    backups.set(backup.id, backup);
    backups.delete(backup.id - BACKUPS_REMEMBERED);
    return backup;
  }

  /** Starts a piece of work and returns how it ended. While the work runs, `stop` ends it. */
  async function endOf<Result>(start: () => Work<Result>): Promise<Result> {
    const work = start();
    kill = work.kill;
    return work.ended;
  }

  async function make(backup: Backup, prepare: () => void): Promise<Backup> {
    const copying = endOf(() => {
      prepare();
      return copy(database, backup.file);
    });
    const ended = await copying.catch((error: unknown) => ({ fault: errorMessage(error) }));
    return afterCopy(backup, ended, log);
  }

  async function sendCopy(made: Backup, send: (file: string) => CopySending): Promise<Backup> {
    underWay = keep({ ...made, state: "sending" });
    const fault = await endOf(() => send(made.file)).catch(errorMessage);
    if (fault === null) return made;
    log("warn", "backup_command_failed", { file: made.file, error: fault });
    return { ...made, state: "failed", fault };
  }

  /** Makes the backup, runs the operator's command with it and remembers how that ended. The promise never rejects. */
  async function run(begun: Backup, { prepare = () => {}, send = null, ended }: WantedCopy): Promise<void> {
    const made = await make(begun, prepare);
    const last = send === null || made.copied === null ? made : await sendCopy(made, send);
    underWay = null;
    kill = () => {};
    keep(last);
    try {
      ended?.(last);
    } catch (error) {
      log("error", "backup_upkeep_failed", { error });
    }
  }

  return {
    begin: (wanted: WantedCopy): Backup | Refusal => {
      const { file } = wanted;
      if (underWay !== null)
        return refuse("INVALID_REQUEST", `a backup is under way, to ${underWay.file}; wait for it`);
      if (existsSync(file)) return refuseField("file", `${file} exists already; a backup replaces no file`);
      numbered += 1;
      const begun = keep({ id: numbered, file, at: clock.now(), state: "copying", copied: null, fault: null });
      underWay = begun;
      done = run(begun, wanted);
      return begun;
    },
    find: (id: number): Backup | null => backups.get(id) ?? null,
    underWay: () => underWay,
    /** Ends the copy or command that runs now, and waits for its end. No unfinished file is left. */
    stop: (): Promise<void> => {
      kill();
      return done;
    },
  };
}

function afterCopy(backup: Backup, ended: Awaited<Copying["ended"]>, log: Log): Backup {
  const { file } = backup;
  if (!("fault" in ended)) {
    log("info", "backup_made", { file, ...ended });
    return { ...backup, state: "done", copied: ended };
  }
  // The process that made the copy may have been killed, so its unfinished file is removed here.
  discardPartial(file);
  log("warn", "backup_failed", { file, error: ended.fault });
  return { ...backup, state: "failed", fault: ended.fault };
}

// Reads the folder of backups. If it cannot be read, nothing here throws: the next backup will fail, and that tells
// people why. A folder that is gone is made again by the next backup.

/** Returns the backups in the folder with rollcall's own names, newest first; none when the folder is unreadable. */
export function keptIn(directory: string, now: Instant): KeptBackup[] {
  const names = newestBackups(
    orElse([], () => readdirSync(directory)),
    now,
  );
  return names.map((name) => {
    const file = join(directory, name);
    return { file, at: backupTime(name)!, bytes: backupBytes(file) };
  });
}

/** Returns the size of a copy in bytes, finished or not. */
export const backupBytes = (file: string): number =>
  orElse(
    orElse(0, () => statSync(file + PARTIAL).size),
    () => statSync(file).size,
  );

const discardPartial = (file: string): void => orElse(undefined, () => rmSync(file + PARTIAL));
