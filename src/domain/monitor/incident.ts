// An incident: a period of failure, from its opening to its close, and when reminders of it come (R23). Pure.

import type { Instant } from "../time.ts";
import type { Run } from "./run.ts";

export type Cause = "missed" | "failed" | "unfinished" | "outcome";
export type ClosedBy = "success" | "resolved" | "withdrawn" | "deleted";

/** True when a report caused the trouble: a fail, or a wrong outcome. */
export const isReportedCause = (cause: Cause): boolean => cause === "failed" || cause === "outcome";

/**
 * When an open incident is told again: first at these distances from its opening (ascending, in milliseconds), then at
 * each repetition of the interval (in milliseconds).
 */
export interface Reminders {
  readonly after: readonly number[];
  readonly every: number;
  /** How many reminders come at most. The last one says that it is the last. */
  readonly max: number;
}

export interface Incident {
  /** The monitor's incidents are numbered from 1. */
  readonly number: number;
  /** The kind of its opening alert: `NeverExecuted` when nothing had ever been received. */
  readonly opening: "InitialFailure" | "NeverExecuted";
  readonly openedAt: Instant;
  /** Each cause once, in the order in which they were told. The first cause opened the incident. */
  readonly causes: readonly [Cause, ...Cause[]];
  /**
   * How many troubles the incident has gathered. Slots that closed after the first missed one are counted separately.
   */
  readonly troubles: number;
  readonly message: string | null;
  readonly runId: string | null;
  /** When the run that failed last began; `null` unless its run_id is known (R23). */
  readonly failedRunBeganAt: Instant | null;
  /** True while a run past its deadline may still report, because nothing has come since (R23). */
  readonly awaitsRun: boolean;
  /** The slot whose miss was told; `null` when no miss was told. */
  readonly expectedAt: Instant | null;
  /** When a fail happened that a manual pause held back (R24) or that came late; `null` without such a fail. */
  readonly failedAt: Instant | null;
  /** When that fail was heard; `null` without such a fail, or when an earlier version stored it. */
  readonly heardAt: Instant | null;
  /** How many slots are counted as closed unfilled so far. The number is complete once the incident is closed. */
  readonly missedSlots: number;
  /** How many slots fell into a gap (R26). They do not count as missed. */
  readonly unheardSlots: number;
  /**
   * How many slots were counted as missed until a late report showed that the job had run. They no longer count as
   * missed.
   */
  readonly lateSlots: number;
  /** The newest of the `lateSlots`; `null` when there are none. */
  readonly lateTo: Instant | null;
  /**
   * The newest slot that is counted as missed lies at this instant or before it; `null` when no slot is counted, or
   * when an earlier version counted them.
   */
  readonly missedTo: Instant | null;
  readonly acknowledgedAt: Instant | null;
  /**
   * The name of the person who acknowledged the incident; `null` when it is not acknowledged, or was acknowledged by a
   * command.
   */
  readonly acknowledgedBy: string | null;
  /** When the next reminder comes; `null` when no reminder will come. */
  readonly remindAt: Instant | null;
  readonly remindersSent: number;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  /** When the first incident of its series opened (series.ts); `null` when the incident belongs to no series. */
  readonly seriesSince: Instant | null;
}

/** When the trouble of an incident began: at the opening of the first incident of its series. */
export const troubleBegan = ({ seriesSince, openedAt }: Pick<Incident, "seriesSince" | "openedAt">): Instant =>
  seriesSince ?? openedAt;

/**
 * Whether closing slots are only counted and not told, because one message is enough (R23): a miss was told already, or
 * a run past its deadline was told and may still report.
 */
export const onlyCountsSlots = (incident: Incident | null): boolean =>
  incident !== null && (incident.causes.includes("missed") || incident.awaitsRun);

/**
 * Whether the run that failed last began after `run`, which has succeeded (R23). The success then says nothing about
 * the failure. This is known only when both runs have a run_id.
 */
export function failedLater(incident: Incident | null, run: Run | null): boolean {
  const failedAt = incident?.failedRunBeganAt ?? null;
  const isKnown = run !== null && run.runId !== null && run.startedAt !== null;
  return isKnown && failedAt !== null && run.startedAt < failedAt;
}

/** The first instant strictly after `after` at which a reminder is due; `null` when reminders are off. */
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
