// The answers of operations about what needs attention now, and about reloads, backups and advice.

import { FAILING } from "./delivery-schemas.ts";
import { ATTENDED } from "./incident-schemas.ts";
import { MONITOR, SENTENCE } from "./monitor-schemas.ts";
import { PLAIN_REFUSAL } from "./received-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const STATUS_SUMMARY = object({
  /** Sentences about what keeps rollcall itself from its work, such as a full disk. */
  troubles: listOf(TEXT),
  counts: object({ pending: COUNT, healthy: COUNT, warning: COUNT, critical: COUNT, paused: COUNT }),
  /**
   * The open incidents except those of paused monitors, at most 20: the most urgent first (`attention`), then the most
   * severe, then the oldest.
   */
  incidents: listOf(object({ ...ATTENDED.properties, now: SENTENCE })),
  moreIncidents: BOOLEAN,
  /** How many incidents of paused monitors are open. */
  pausedIncidents: COUNT,
  /**
   * Counts of open incidents of monitors that are not paused. `unnotified`: no message about the incident has arrived.
   * `takenOn`: a person has acknowledged the incident.
   */
  unnotified: COUNT,
  takenOn: COUNT,
  /**
   * Monitors with status `warning`, at most 20. Left out are those that only wait for a report, if it is no later than
   * usual.
   */
  warnings: listOf(object({ ...MONITOR.properties, now: SENTENCE })),
  unreadable: COUNT,
  failing: FAILING,
  /** Sentences about applications whose alerts have no destination. */
  unheard: listOf(TEXT),
  /** Slugs of suspended applications (R3). */
  suspended: listOf(TEXT),
  /** Networks whose reports over plain HTTP were refused in the last day; empty when asked about one application. */
  plainHttp: listOf(PLAIN_REFUSAL),
  /** The zone rules in force: their release, and the directory that they come from, or "rollcall". */
  zoneRules: object({ version: TEXT, origin: TEXT }),
});

export type StatusSummary = InEngine<typeof STATUS_SUMMARY>;

// The answers of operations about a reload.

const CHANGED = object({
  key: TEXT,
  /** The former value; `null` when the key was absent or is secret. */
  before: nullable(TEXT),
  after: nullable(TEXT),
  secret: BOOLEAN,
  /** Where the new value comes from; `null` when it is the default. */
  from: nullable(TEXT),
});

export const RELOAD = object({
  id: ID,
  /** `refused`: the configuration is faulty, and nothing was changed. `failed`: the change could not be stored. */
  state: wordOf("waiting", "applying", "done", "refused", "failed"),
  changed: listOf(CHANGED),
  /** The changed keys that come into force only with a restart. */
  restart: listOf(CHANGED),
  faults: listOf(TEXT),
  warnings: listOf(TEXT),
});

// The answers of operations about backups: a requested one, and those that exist.

const COPIED = object({ bytes: COUNT, monitors: COUNT });

const BACKUP_FIELDS = {
  id: ID,
  file: TEXT,
  at: INSTANT,
  /** `sending` means that the copy is complete and the operator's command is running. */
  state: wordOf("copying", "sending", "done", "failed"),
  /** The size of the complete copy, and how many monitors it has; `null` when the copy is not complete. */
  copied: nullable(COPIED),
  /** Why the backup failed, as a sentence; `null` unless it did. */
  fault: nullable(TEXT),
};

export const BACKUP = object(BACKUP_FIELDS);

export const BACKUPS = object({
  at: INSTANT,
  /** The directory of the backups that are made automatically. */
  directory: TEXT,
  /** How often a backup is made automatically; 0 when none is. */
  everySeconds: COUNT,
  keep: COUNT,
  /** When the next automatic backup is due; `null` when none is. */
  nextAt: nullable(INSTANT),
  /** The backup that is being made now; `null` when none is. `bytes` is how much of it has been written so far. */
  underWay: nullable(object({ ...BACKUP_FIELDS, bytes: COUNT })),
  /** Why the last backup failed; `null` when it did not. */
  lastFailure: nullable(object({ step: wordOf("copy", "command"), file: TEXT, at: INSTANT, reason: TEXT })),
  /** The backups that exist, the newest first. */
  backups: listOf(object({ file: TEXT, at: INSTANT, bytes: COUNT })),
});

export type BackupList = InEngine<typeof BACKUPS>;

/**
 * The settings of the server that the operation was given and keeps from now on; `null` for a setting that stays as it
 * was.
 */
export const KEPT_SERVER = object({ timezone: nullable(TEXT), url: nullable(TEXT), mailServer: nullable(TEXT) });

/** The addresses at which rollcall is reached, without a slash at their end. */
export const ADDRESSES = object({
  /**
   * To which address jobs on this computer report; `null` when no address can be reached from here, or when reports
   * over plain HTTP are refused.
   */
  here: nullable(TEXT),
  /** To which address jobs on other computers report: the public address; `null` when none is set. */
  elsewhere: nullable(TEXT),
  dashboard: nullable(TEXT),
});

export type Addresses = InEngine<typeof ADDRESSES>;

/** What `advise` answers. `more` is how many further pieces of advice there are. */
export const ADVICE = object({
  advice: listOf(
    object({
      /** `application` and `key` are `null` when the advice is not about a single job. */
      application: nullable(TEXT),
      key: nullable(TEXT),
      says: TEXT,
      /** The command that follows the advice; `null` when no single command does. */
      command: nullable(TEXT),
    }),
  ),
  more: COUNT,
});

export type GivenAdvice = InEngine<typeof ADVICE>;
