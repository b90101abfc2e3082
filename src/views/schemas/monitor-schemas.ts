// The answers of operations about monitors: lists of them, and what a change did. `shown-monitor-schemas.ts` has all
// that is known of one.

import { STATUSES } from "../../domain/monitor/monitor.ts";
import { SAID_AS } from "../../domain/wording/now.ts";
import { BOOLEAN, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";
import { IN_FORCE } from "./setting-schemas.ts";

export const STATUS = wordOf(...STATUSES);

/** Who asked for a manual pause, or planned the maintenance; `null` when the configuration sets it. */
const ASKED = object({
  at: INSTANT,
  /** The name of the person who asked or planned; `null` when a command did. */
  by: nullable(TEXT),
  reason: nullable(TEXT),
  /** True for maintenance, false for a manual pause. */
  planned: BOOLEAN,
});

/**
 * A sentence in parts, to follow a job's name. A part with an instant can be worded again later, so that `5 min ago`
 * stays true.
 */
export const SENTENCE = listOf(object({ text: TEXT, at: nullable(INSTANT), as: nullable(wordOf(...SAID_AS)) }));

export const MONITOR = object({
  application: TEXT,
  key: TEXT,
  name: TEXT,
  status: STATUS,
  ...IN_FORCE,
  /** The monitor's labels, sorted and with a space between two (R38); `null` when it has none. */
  labels: nullable(TEXT),
  /** The oldest slot that is not filled (R20); `null` without a schedule or an interval. */
  expectedAt: nullable(INSTANT),
  /**
   * The slot whose report is late: the slot that was told as missed or, when none was told, the slot that has come due.
   * `null` when no report is late.
   */
  lateSince: nullable(INSTANT),
  /** The next slot in the future; `null` when there is none or the monitor is paused. */
  nextAt: nullable(INSTANT),
  lastPingAt: nullable(INSTANT),
  lastSuccessAt: nullable(INSTANT),
  /** When the last fail, wrong outcome or passed deadline of an unfinished run was; `null` when there was none yet. */
  lastFailureAt: nullable(INSTANT),
  pauses: object({
    manual: nullable(object({ until: nullable(INSTANT), asked: nullable(ASKED) })),
    discovery: BOOLEAN,
    plan: BOOLEAN,
    suspension: BOOLEAN,
  }),
  incidentId: nullable(ID),
  createdAt: INSTANT,
  /** When declared or configured values last changed; pings do not count (R29). */
  updatedAt: INSTANT,
});

export const MONITORS = object({
  /** The monitors, sorted by application and key. */
  monitors: listOf(MONITOR),
  /** Monitors of any status whose rows cannot be read. The log says why. */
  unreadable: listOf(object({ application: TEXT, key: TEXT })),
});

/** The answer to a change. `changed` is false when everything was already as asked. */
export const CHANGED_MONITOR = object({ changed: BOOLEAN, monitor: MONITOR });

export const DECLARED_CHANGE = object({
  setting: TEXT,
  /** The declared value before and after the change, in seconds or as text; `null` when none is declared. */
  from: nullable(TEXT),
  to: nullable(TEXT),
  /** True when the configuration sets this setting, so that the change is not in force (R31). */
  overridden: BOOLEAN,
});

export const SET_MONITOR = object({
  ...CHANGED_MONITOR.properties,
  changes: listOf(DECLARED_CHANGE),
  /** Those of the given options whose settings the configuration overrides (R31). */
  overridden: listOf(TEXT),
  /** The registry that declared the monitor last and may declare it again (R30); `null` when none did. */
  source: nullable(TEXT),
});

export const RENAMED_MONITOR = object({
  was: TEXT,
  monitor: MONITOR,
  /** The registry that declared the monitor under its old key; `null` when none did. */
  source: nullable(TEXT),
  /**
   * True when the configuration names the old key with a schedule, so that the next start creates a monitor with the
   * old key.
   */
  returnsAtStart: BOOLEAN,
});

export const DELETED_MONITOR = object({
  application: TEXT,
  key: TEXT,
  name: TEXT,
  /** The incident that the deletion closed; `null` when none was open. */
  incidentId: nullable(ID),
  /** True when receivers are told that the open incident ended. False when none was open, or it could not be read. */
  recoveryTold: BOOLEAN,
  /** After this instant the monitor's history is deleted too (R25). */
  historyUntil: INSTANT,
  /** True when the configuration names the monitor with a schedule, so that the next start creates it again. */
  returnsAtStart: BOOLEAN,
});

export const DELETED_MONITORS = object({
  /** The deleted monitors that can be brought back, the one that was deleted last first. */
  deleted: listOf(
    object({
      application: TEXT,
      key: TEXT,
      name: TEXT,
      deletedAt: INSTANT,
      /** Until when the monitor can be brought back. */
      historyUntil: INSTANT,
      /** True when another monitor has this key now, and must be renamed before the deleted one can come back. */
      keyIsTaken: BOOLEAN,
    }),
  ),
  more: BOOLEAN,
});

export type MonitorSummary = InEngine<typeof MONITOR>;
export type MonitorList = InEngine<typeof MONITORS>;
export type ChangedMonitor = InEngine<typeof CHANGED_MONITOR>;
export type DeclaredChange = InEngine<typeof DECLARED_CHANGE>;
export type SetMonitor = InEngine<typeof SET_MONITOR>;
export type RenamedMonitor = InEngine<typeof RENAMED_MONITOR>;
export type DeletedList = InEngine<typeof DELETED_MONITORS>;
export type DeletedMonitor = InEngine<typeof DELETED_MONITOR>;
