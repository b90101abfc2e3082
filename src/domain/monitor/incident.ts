// An incident is a time in which a job is in trouble (R23). This file has its fields, and computes when its reminders
// come. Pure.

import type { Instant } from "../time.ts";
import type { Run } from "./run.ts";

export type Cause = "missed" | "failed" | "unfinished" | "outcome";
export type ClosedBy = "success" | "resolved" | "withdrawn" | "deleted";

/** Whether the cause came in a report of the job itself: a fail, or a wrong outcome. */
export const isReportedCause = (cause: Cause): boolean => cause === "failed" || cause === "outcome";

/**
 * When people are reminded of an open incident. `after` has the delays from its opening, in milliseconds and ascending;
 * after the last delay a reminder comes every `every` milliseconds.
 */
export interface Reminders {
  readonly after: readonly number[];
  readonly every: number;
  /** How many reminders an incident sends at most. The last one says that it is the last. */
  readonly max: number;
}

export interface Incident {
  /** Counts the incidents of one monitor, from 1. */
  readonly number: number;
  /** How the opening of the incident is told. `NeverExecuted`: rollcall had never received a report of the monitor. */
  readonly opening: "InitialFailure" | "NeverExecuted";
  readonly openedAt: Instant;
  /** Why the incident goes on: each cause once, in the order in which people were told. The first cause opened it. */
  readonly causes: readonly [Cause, ...Cause[]];
  /**
   * How many troubles the incident has had: fails, unfinished runs, wrong outcomes, and misses up to the one that was
   * told. Later misses are only in `missedSlots`.
   */
  readonly troubles: number;
  readonly message: string | null;
  readonly runId: string | null;
  /** When the run that failed last began; `null` unless that run has a run_id and a start (R23). */
  readonly failedRunBeganAt: Instant | null;
  /** True while a run is past its deadline and no report has come since, so that its end may still come (R23). */
  readonly awaitsRun: boolean;
  /**
   * The missed slot that an alert of this incident named; `null` when no alert named one. A late report may move it to
   * the next slot (R43).
   */
  readonly expectedAt: Instant | null;
  /** When the fail happened, for a fail that a manual pause held back (R24) or that came late; otherwise `null`. */
  readonly failedAt: Instant | null;
  /**
   * When rollcall received the fail of `failedAt`; `null` without such a fail, or when an earlier version stored the
   * incident.
   */
  readonly heardAt: Instant | null;
  /** How many slots closed without a report, as far as they are counted; complete once the incident is closed. */
  readonly missedSlots: number;
  /** How many slots are unknown, because a gap may have swallowed their report (R26); not in `missedSlots`. */
  readonly unheardSlots: number;
  /** How many slots counted as missed until a late report showed that the job had run; not in `missedSlots`. */
  readonly lateSlots: number;
  /** The newest of the slots that `lateSlots` counts; `null` without such a slot. */
  readonly lateTo: Instant | null;
  /**
   * `missedSlots` counts slots up to this instant; `null` when none is counted, or an earlier version of rollcall
   * counted.
   */
  readonly missedTo: Instant | null;
  readonly acknowledgedAt: Instant | null;
  /** The person who acknowledged the incident; `null` when no person did, or a command on the host did it. */
  readonly acknowledgedBy: string | null;
  /** When the next reminder comes; `null` when no reminder will come. */
  readonly remindAt: Instant | null;
  readonly remindersSent: number;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  /**
   * When the first incident of its series opened. A series is a job's repeated failures with short recoveries
   * between them (series.ts). `null` when the incident belongs to no series.
   */
  readonly seriesSince: Instant | null;
}

/** When the trouble began: at the opening of the incident, or of the first incident of its series. */
export const troubleBegan = ({ seriesSince, openedAt }: Pick<Incident, "seriesSince" | "openedAt">): Instant =>
  seriesSince ?? openedAt;

/**
 * Whether slots that close now are only counted, without a message (R23). One message is enough: people were told of a
 * miss already, or of a run past its deadline that may still report.
 */
export const onlyCountsSlots = (incident: Incident | null): boolean =>
  incident !== null && (incident.causes.includes("missed") || incident.awaitsRun);

/**
 * Whether the run that failed last began after `run`, which has succeeded. Then this success says nothing about that
 * failure, and the incident stays open (R23). False unless both runs have a run_id and a start.
 */
export function failedLater(incident: Incident | null, run: Run | null): boolean {
  const failedAt = incident?.failedRunBeganAt ?? null;
  const isKnown = run !== null && run.runId !== null && run.startedAt !== null;
  return isKnown && failedAt !== null && run.startedAt < failedAt;
}

/** When the first reminder after `after` is due; `null` when reminders are off. */
export function nextReminder(
  reminders: Reminders,
  trouble: Pick<Incident, "seriesSince" | "openedAt">,
  after: Instant,
): Instant | null {
  if (reminders.max === 0) return null;
  const began = troubleBegan(trouble);
  const early = reminders.after.find((delay) => began + delay > after);
  if (early !== undefined) return began + early;
  const base = began + (reminders.after.at(-1) ?? 0);
  const steps = Math.max(1, Math.floor((after - base) / reminders.every) + 1);
  return base + steps * reminders.every;
}
