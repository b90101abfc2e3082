// An incident: a period of failure, from its opening to its close, and when reminders of it come (R23). Pure.

import type { Instant } from "../time.ts";
import type { Run } from "./run.ts";

export type Cause = "missed" | "failed" | "unfinished" | "outcome";
export type ClosedBy = "success" | "resolved" | "withdrawn" | "deleted";

/** A report brought it: a fail, or a wrong result. */
export const isReportedCause = (cause: Cause): boolean => cause === "failed" || cause === "outcome";

/** When we report an open incident again: how long after the opening (ms, ascending), then how often (ms). */
export interface Reminders {
  readonly after: readonly number[];
  readonly every: number;
  /** The most reminders; the last one says that it is the last. */
  readonly max: number;
}

export interface Incident {
  /** Counts the monitor's incidents from 1. */
  readonly number: number;
  /** The kind of its opening alert: `NeverExecuted` when nothing had ever been received. */
  readonly opening: "InitialFailure" | "NeverExecuted";
  readonly openedAt: Instant;
  /** Every cause once, in the order of the alerts; the first opened it. */
  readonly causes: readonly [Cause, ...Cause[]];
  /** How many troubles it has gathered; slots that closed after the first missed one are counted separately. */
  readonly troubles: number;
  readonly message: string | null;
  readonly runId: string | null;
  /** When the run that failed last began, if its run_id is known; else null (R23). */
  readonly failedRunBeganAt: Instant | null;
  /** A run past its deadline may still report: nothing has come since (R23). */
  readonly awaitsRun: boolean;
  /** The slot whose miss we reported; null: none. */
  readonly expectedAt: Instant | null;
  /** When the fail happened that a pause by hand held back (R24), or that we heard late; null: there was none. */
  readonly failedAt: Instant | null;
  /** When we heard of that fail; null: there was none, or an earlier version kept it. */
  readonly heardAt: Instant | null;
  /** Slots that closed unfilled, as far as we have counted; complete once the incident is closed. */
  readonly missedSlots: number;
  /** Slots that fell into a gap of ours (R26); they do not count as missed. */
  readonly unheardSlots: number;
  /** Slots that we counted as missed, until a late report said that the job had run; they do not count as missed. */
  readonly lateSlots: number;
  /** The newest of them; null: there is none. */
  readonly lateTo: Instant | null;
  /** No newer slot has been counted as missed; null: none has, or an earlier version counted them. */
  readonly missedTo: Instant | null;
  readonly acknowledgedAt: Instant | null;
  /** The name of the person who did so; null: it is not acknowledged, or it was done by command. */
  readonly acknowledgedBy: string | null;
  /** When the next reminder comes; null: none will. */
  readonly remindAt: Instant | null;
  readonly remindersSent: number;
  readonly closedAt: Instant | null;
  readonly closedBy: ClosedBy | null;
  /** When the first incident of its series opened that no person has dealt with (series.ts); null: it is by itself. */
  readonly seriesSince: Instant | null;
}

/** When the trouble began that an incident is about: with the first of its series. */
export const troubleBegan = ({ seriesSince, openedAt }: Pick<Incident, "seriesSince" | "openedAt">): Instant =>
  seriesSince ?? openedAt;

/**
 * Whether we only count closing slots and report none, or not yet (R23): we have reported a miss, or a run past its
 * deadline that may still report. One message is enough.
 */
export const onlyCountsSlots = (incident: Incident | null): boolean =>
  incident !== null && (incident.causes.includes("missed") || incident.awaitsRun);

/**
 * Whether the run that failed last began after this one, which has succeeded (R23): then the success says nothing about
 * it. Only when the run_ids of both are known.
 */
export function failedLater(incident: Incident | null, run: Run | null): boolean {
  const failedAt = incident?.failedRunBeganAt ?? null;
  const isKnown = run !== null && run.runId !== null && run.startedAt !== null;
  return isKnown && failedAt !== null && run.startedAt < failedAt;
}

/** The first time strictly after `after` at which the trouble is reminded of; null when reminders are off. */
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
