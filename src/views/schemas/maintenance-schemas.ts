// The answers of operations about maintenance, both planned and configured (R24).

import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const MAINTENANCE = object({
  /** The id of planned maintenance; `null` for configured maintenance, which only the configuration can change. */
  id: nullable(ID),
  application: TEXT,
  /** The keys, patterns and labels (`label:db`) of the monitors; empty for all of the application, also later ones. */
  monitors: listOf(TEXT),
  state: wordOf("now", "ahead", "past"),
  /** For repeated maintenance, the cron expression of its beginnings; `null` for maintenance that comes once. */
  schedule: nullable(TEXT),
  /** The zone of the schedule; `null` when each monitor's zone counts, and for maintenance that comes once. */
  timezone: nullable(TEXT),
  durationSeconds: COUNT,
  /**
   * The present or next time of the maintenance. For maintenance that came once and is over: that time. For repeated
   * maintenance that a person ended: the time that was in progress at that moment, or would have come next. `null` when
   * there is no such time.
   */
  next: nullable(object({ from: INSTANT, until: INSTANT })),
  /** Why the maintenance was planned; `null`, as `plannedAt` and `plannedBy` are, when it is configured. */
  reason: nullable(TEXT),
  plannedAt: nullable(INSTANT),
  /** The name of the person who planned the maintenance; `null` when a command planned it. */
  plannedBy: nullable(TEXT),
  /** When the maintenance ended, or was called off before it began; `null` when neither has happened. */
  endedAt: nullable(INSTANT),
  /** The person who ended the maintenance; `null` when it ended by time or by a command. */
  endedBy: nullable(TEXT),
});

/** First what lasts now, then what is ahead, the soonest first, then what is over, the newest first. */
export const MAINTENANCES = object({ maintenances: listOf(MAINTENANCE) });

export const PLANNED_MAINTENANCE = object({
  maintenance: MAINTENANCE,
  /**
   * The keys, patterns and labels among the given `monitors` that name no present monitor; these entries count for
   * monitors that are created later.
   */
  unmatched: listOf(TEXT),
});

/** `changed` is false when the maintenance was already over. */
export const ENDED_MAINTENANCE = object({ changed: BOOLEAN, maintenance: MAINTENANCE });

export type ShownMaintenance = InEngine<typeof MAINTENANCE>;
