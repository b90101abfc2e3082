// What operations answer of maintenance: of what people planned, and of what the configuration sets (R24).

import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

export const MAINTENANCE = object({
  /** Null: the configuration sets it, and only there it is changed. */
  id: orNull(ID),
  application: TEXT,
  /** Keys and patterns of its monitors; empty: all of the application, also later ones. */
  monitors: listOf(TEXT),
  state: wordOf("now", "ahead", "past"),
  /** When it begins, again and again; null: it comes once. */
  schedule: orNull(TEXT),
  /** Of the schedule; null: that of each monitor. */
  timezone: orNull(TEXT),
  durationSeconds: COUNT,
  /** When it takes place now or next, or did if it comes once; null: not again. */
  next: orNull(object({ from: INSTANT, until: INSTANT })),
  /** Null, as are the others below: the configuration sets it. */
  reason: orNull(TEXT),
  plannedAt: orNull(INSTANT),
  /** A name; null: it was done by command. */
  plannedBy: orNull(TEXT),
  /** When it was over, or was called off before it began; null: it is not. */
  endedAt: orNull(INSTANT),
  /** Who ended it; null: time did, or a command. */
  endedBy: orNull(TEXT),
});

/** Now, then those ahead, the next first, then the past ones, the newest first. */
export const MAINTENANCES = object({ maintenances: listOf(MAINTENANCE) });

export const PLANNED_MAINTENANCE = object({
  maintenance: MAINTENANCE,
  /** Keys and patterns of no monitor that is there: it is for those that come. */
  unmatched: listOf(TEXT),
});

/** `changed` false: it was over. */
export const ENDED_MAINTENANCE = object({ changed: BOOLEAN, maintenance: MAINTENANCE });

export type ShownMaintenance = Held<typeof MAINTENANCE>;
