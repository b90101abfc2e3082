// What operations answer of monitors: one in a list, what became of one, and everything that is known of one.

import { STATUSES } from "../../domain/monitor/monitor.ts";
import { SAID_AS } from "../../domain/wording/now.ts";
import { BOOLEAN, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";
import { IN_FORCE } from "./settings.ts";

export const STATUS = wordOf(...STATUSES);

/** Who asked for a pause by hand, or planned the maintenance; null: a window of the configuration did. */
const ASKED = object({
  at: INSTANT,
  /** A name; null: it was done by command. */
  by: orNull(TEXT),
  reason: orNull(TEXT),
  /** It is maintenance, and no pause by hand. */
  planned: BOOLEAN,
});

/** What a job is doing now, to be read after its name; a piece with an instant can be said again later. */
export const SENTENCE = listOf(object({ text: TEXT, at: orNull(INSTANT), as: orNull(wordOf(...SAID_AS)) }));

export const MONITOR = object({
  application: TEXT,
  key: TEXT,
  name: TEXT,
  status: STATUS,
  ...IN_FORCE,
  /** In their order, a space between two (R38); null: it has none. */
  labels: orNull(TEXT),
  /** The oldest slot that nothing has filled (R20); null without a schedule. */
  expectedAt: orNull(INSTANT),
  /** Since when its report is late: the slot that was told as missed, else the one that waits; null: it is not. */
  lateSince: orNull(INSTANT),
  /** The next slot that lies ahead; null: there is none, or it is paused. */
  nextAt: orNull(INSTANT),
  lastPingAt: orNull(INSTANT),
  lastSuccessAt: orNull(INSTANT),
  /** The newest fail, wrong outcome, or limit that a run did not keep. */
  lastFailureAt: orNull(INSTANT),
  pauses: object({
    manual: orNull(object({ until: orNull(INSTANT), asked: orNull(ASKED) })),
    discovery: BOOLEAN,
    plan: BOOLEAN,
    suspension: BOOLEAN,
  }),
  incidentId: orNull(ID),
  createdAt: INSTANT,
  /** R29: moves with declared or configured values, not with pings. */
  updatedAt: INSTANT,
});

export const MONITORS = object({
  /** By application and key, ascending. */
  monitors: listOf(MONITOR),
  /** Those whose rows cannot be read, of any status; the log says why. */
  unreadable: listOf(object({ application: TEXT, key: TEXT })),
});

/** The result of a change. `changed` false: everything was already as asked. */
export const CHANGED_MONITOR = object({ changed: BOOLEAN, monitor: MONITOR });

/** What was set, and why some of it may not be in force, or not for long. */
/** Of a declared setting. */
export const DECLARED_CHANGE = object({
  setting: TEXT,
  /** As they are declared, in seconds or as text; null: not at all. */
  from: orNull(TEXT),
  to: orNull(TEXT),
  /** Whether the configuration sets it, so that the change is not in force (R31). */
  overridden: BOOLEAN,
});

export const SET_MONITOR = object({
  ...CHANGED_MONITOR.properties,
  changes: listOf(DECLARED_CHANGE),
  /** Options that were given, and whose settings the configuration overrides (R31). */
  overridden: listOf(TEXT),
  /** The registry that declared it last, and may declare it again (R30); null: none. */
  source: orNull(TEXT),
});

export const RENAMED_MONITOR = object({
  was: TEXT,
  monitor: MONITOR,
  /** The registry that declared it under its old key; null: none. */
  source: orNull(TEXT),
  /** The configuration names the old key with a schedule, so the next start creates such a monitor. */
  returnsAtStart: BOOLEAN,
});

export const DELETED_MONITOR = object({
  application: TEXT,
  key: TEXT,
  name: TEXT,
  /** The incident that its deletion closed; null: none was open. */
  incidentId: orNull(ID),
  /** False if none was open, or if the open one could not be read. */
  recoveryTold: BOOLEAN,
  /** From then on its history is deleted too (R25). */
  historyUntil: INSTANT,
  /** The configuration names it with a schedule, so the next start creates it again. */
  returnsAtStart: BOOLEAN,
});

export const DELETED_MONITORS = object({
  /** The last deleted first. */
  deleted: listOf(
    object({
      application: TEXT,
      key: TEXT,
      name: TEXT,
      deletedAt: INSTANT,
      /** Until then it can be brought back. */
      historyUntil: INSTANT,
      /** Another monitor has the key by now: that must be renamed before. */
      keyIsTaken: BOOLEAN,
    }),
  ),
  more: BOOLEAN,
});

export type MonitorSummary = Held<typeof MONITOR>;
export type MonitorList = Held<typeof MONITORS>;
export type ChangedMonitor = Held<typeof CHANGED_MONITOR>;
export type DeclaredChange = Held<typeof DECLARED_CHANGE>;
export type SetMonitor = Held<typeof SET_MONITOR>;
export type RenamedMonitor = Held<typeof RENAMED_MONITOR>;
export type DeletedList = Held<typeof DELETED_MONITORS>;
export type DeletedMonitor = Held<typeof DELETED_MONITOR>;
