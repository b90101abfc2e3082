// Makes backups, one at a time: the copy, the operator's command with it, and the result.

import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupTime, newestBackups, PARTIAL } from "../domain/backup.ts";
import { errorMessage, type Refusal, refuse, refuseField } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Instant } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { Backup, Clock, KeptBackup } from "../engine/api.ts";

export interface Work<Result> {
  readonly ended: Promise<Result>;
  kill(): void;
}

export type Copying = Work<NonNullable<Backup["copied"]> | { readonly fault: string }>;

/**
 * Runs the operator's command with a copy: the result is `null` when it went well, else a text that says what went
 * wrong.
 */
export type CopySending = Work<string | null>;

export interface MakingParts {
  readonly database: string;
  readonly copy: (from: string, to: string) => Copying;
  readonly clock: Clock;
  readonly log: Log;
}

/** A request for a backup. Errors that `prepare` and `ended` throw are faults of the backup, and are logged. */
export interface WantedCopy {
  readonly file: string;
  readonly prepare?: () => void;
  readonly send?: ((file: string) => CopySending) | null;
  readonly ended?: (backup: Backup) => void;
}

const BACKUPS_REMEMBERED = 20;

export function createMaking({ database, copy, clock, log }: MakingParts) {
  /** The last backups by their numbers, for callers who ask for the result of theirs. */
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

  /** Runs a piece of work that a stop can end from now on. */
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

  async function hand(made: Backup, send: (file: string) => CopySending): Promise<Backup> {
    underWay = keep({ ...made, state: "sending" });
    const fault = await endOf(() => send(made.file)).catch(errorMessage);
    if (fault === null) return made;
    log("warn", "backup_command_failed", { file: made.file, error: fault });
    return { ...made, state: "failed", fault };
  }

  /** Makes one backup. The promise never rejects. */
  async function run(begun: Backup, { prepare = () => {}, send = null, ended }: WantedCopy): Promise<void> {
    const made = await make(begun, prepare);
    const last = send === null || made.copied === null ? made : await hand(made, send);
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
    /** Ends the work under way, and leaves no unfinished file. */
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
  // The unfinished file is removed here, because a killed process could not do that.
  discardPartial(file);
  log("warn", "backup_failed", { file, error: ended.fault });
  return { ...backup, state: "failed", fault: ended.fault };
}

// The contents of the folder of backups. The folder may be unreadable or gone, but nothing here throws: the next backup
// then fails, and says why.

/** The backups that were made at intervals, newest first; none when the folder cannot be read. */
export function keptIn(directory: string, now: Instant): KeptBackup[] {
  const names = newestBackups(
    orElse([], () => readdirSync(directory)),
    now,
  );
  return names.map((name) => {
    const file = join(directory, name);
    return { file, at: backupTime(name)!, bytes: bytesOf(file) };
  });
}

/** How many bytes of a copy there are, finished or not. */
export const bytesOf = (file: string): number =>
  orElse(
    orElse(0, () => statSync(file + PARTIAL).size),
    () => statSync(file).size,
  );

/** Removes the file of a copy that was not finished. */
const discardPartial = (file: string): void => orElse(undefined, () => rmSync(file + PARTIAL));
