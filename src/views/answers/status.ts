// What `status` answers: what needs attention now.

import { FAILING } from "./deliveries.ts";
import { ATTENDED } from "./incidents.ts";
import { MONITOR, SENTENCE } from "./monitors.ts";
import { PLAIN_REFUSAL } from "./received.ts";
import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

export const STATUS_SUMMARY = object({
  /** Sentences about what keeps rollcall itself from its work, such as a full disk. */
  troubles: listOf(TEXT),
  counts: object({ pending: COUNT, healthy: COUNT, warning: COUNT, critical: COUNT, paused: COUNT }),
  /** Those that are open, but for those of paused monitors: the most urgent first, then the newest; at most 20. */
  incidents: listOf(object({ ...ATTENDED.properties, now: SENTENCE })),
  moreIncidents: BOOLEAN,
  /** How many are open of paused monitors. */
  pausedIncidents: COUNT,
  /** Of all of them: no message has arrived; a person has taken them on. */
  unnotified: COUNT,
  takenOn: COUNT,
  /** Monitors of this status, but for those whose slot waits no longer than it usually does; at most 20. */
  warnings: listOf(object({ ...MONITOR.properties, now: SENTENCE })),
  unreadable: COUNT,
  failing: FAILING,
  /** Sentences about applications whose alerts have no destination. */
  unheard: listOf(TEXT),
  /** Slugs of suspended applications (R3). */
  suspended: listOf(TEXT),
  /** Networks whose reports over plain HTTP were refused within a day; empty for one application. */
  plainHttp: listOf(PLAIN_REFUSAL),
  /** The rules of time zones in force: their release, and the directory that they come from, or "rollcall". */
  zoneRules: object({ version: TEXT, origin: TEXT }),
});

export type StatusSummary = Held<typeof STATUS_SUMMARY>;

// What operations answer of a reload.

const CHANGED = object({
  key: TEXT,
  /** Null: it is left out, or a secret. */
  before: orNull(TEXT),
  after: orNull(TEXT),
  secret: BOOLEAN,
  /** Where the new value comes from; null: it is the default. */
  from: orNull(TEXT),
});

export const RELOAD = object({
  id: ID,
  /** `refused`: it is faulty, and nothing was changed. `failed`: storage did not take it. */
  state: wordOf("waiting", "applying", "done", "refused", "failed"),
  changed: listOf(CHANGED),
  /** What comes into force with a restart. */
  restart: listOf(CHANGED),
  faults: listOf(TEXT),
  warnings: listOf(TEXT),
});

// What operations answer of backups: one that was asked for, and those that are there.

const COPIED = object({ bytes: COUNT, monitors: COUNT });

const BACKUP_FIELDS = {
  id: ID,
  file: TEXT,
  at: INSTANT,
  /** `sending`: the copy is whole, and the operator's command has it. */
  state: wordOf("copying", "sending", "done", "failed"),
  /** Null: the copy is not whole. */
  copied: orNull(COPIED),
  /** A sentence; null unless it failed. */
  fault: orNull(TEXT),
};

export const BACKUP = object(BACKUP_FIELDS);

export const BACKUPS = object({
  at: INSTANT,
  /** Where those go that are made by themselves. */
  directory: TEXT,
  /** 0: none is made by itself. */
  everySeconds: COUNT,
  keep: COUNT,
  /** When the next is due; null: never. */
  nextAt: orNull(INSTANT),
  /** `bytes`: what is written by now. */
  underWay: orNull(object({ ...BACKUP_FIELDS, bytes: COUNT })),
  /** Why the last one failed; null: it did not. */
  lastFailure: orNull(object({ step: wordOf("copy", "command"), file: TEXT, at: INSTANT, reason: TEXT })),
  /** Newest first. */
  backups: listOf(object({ file: TEXT, at: INSTANT, bytes: COUNT })),
});

export type BackupList = Held<typeof BACKUPS>;

/** What was given; null: it is as it was. */
export const KEPT_SERVER = object({ timezone: orNull(TEXT), url: orNull(TEXT), mailServer: orNull(TEXT) });

/** Without a slash at their end. */
export const ADDRESSES = object({
  /** Where this computer reports; null: it reaches no address, or takes no report over plain HTTP. */
  here: orNull(TEXT),
  /** Where others report: the public address; null: none is set. */
  elsewhere: orNull(TEXT),
  dashboard: orNull(TEXT),
});

export type Addresses = Held<typeof ADDRESSES>;

/** What `advise` answers. `more`: so many are not listed. */
export const ADVICE = object({
  advice: listOf(
    object({
      /** Both null: it is about no one job. */
      application: orNull(TEXT),
      key: orNull(TEXT),
      says: TEXT,
      /** What mends it; null: no one command does. */
      command: orNull(TEXT),
    }),
  ),
  more: COUNT,
});

export type GivenAdvice = Held<typeof ADVICE>;
