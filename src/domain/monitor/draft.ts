// A draft is the monitor while one transition works on it, with the alerts that the transition raises. This file has
// the changes that settle.ts (time) and transition.ts (signals) both make. Only the folder monitor/ uses drafts.

import type { Alert } from "../message/alert.ts";
import { hasSlots, intervalOfRhythm } from "../schedule/rhythm.ts";
import { type SlotsAround, slotsAround } from "../schedule/slots.ts";
import type { Instant } from "../time.ts";
import { countDoubtful } from "./doubt.ts";
import {
  type Cause,
  type ClosedBy,
  type Incident,
  isReportedCause,
  nextReminder,
  onlyCountsSlots,
} from "./incident.ts";
import type { Gap, Monitor, Watch } from "./monitor.ts";
import { countExpectedSlots, expectedSlotAfter, isPaused, NOTHING_CARRIED, slotAfter } from "./monitor.ts";
import type { CheckedOutcome } from "./reported-outcomes.ts";
import { type EndVerdict, incompleteRun, isOpen, outlivedBy, type Run } from "./run.ts";
import { inSeries, type MonitorPast, withClosed } from "./series.ts";
import { closingDelay, earlyTolerance } from "./window.ts";

/**
 * A slot or a run without its report, which may have been lost (R26). It raises no alert; a notice tells of it later.
 * `gap` is when rollcall could not hear, or `null` when the rate limit refused the report.
 */
export interface Unknown {
  readonly at: Instant;
  readonly slot: Instant | null;
  /** How many slots in a row became unknown, the first of them at `slot`; 0 when a run became unknown. */
  readonly slots: number;
  readonly run: Run | null;
  readonly gap: Gap | null;
}

/** A pause of any kind began, or the last one that was in force ended (R24). */
export type PauseChange = PauseBegin | PauseEnd;

export interface PauseBegin {
  readonly paused: true;
  readonly at: Instant;
  /** The slots from this instant on fall into the pause, until it ends. It may lie before `at`, or after it. */
  readonly firstSlot: Instant;
}

export interface PauseEnd {
  readonly paused: false;
  readonly at: Instant;
  /**
   * Set if the pause cut off a run: the slots from this instant on fall into the pause, too, because the run that
   * covered them was given up. Otherwise `null`.
   */
  readonly firstSlot: Instant | null;
}

export interface Draft {
  readonly gaps: readonly Gap[];
  /** The monitor's earlier incidents. A new incident may continue their series (series.ts). */
  past: MonitorPast;
  readonly monitor: { -readonly [Field in keyof Monitor]: Monitor[Field] };
  readonly alerts: Alert[];
  readonly unknowns: Unknown[];
  /** When the monitor was paused or watched again, in ascending order. Most transitions have none. */
  pauseChanges: readonly PauseChange[];
  /** While a late report is applied: when its event happened. `null` at any other time. */
  lateFrom: Instant | null;
  /** The slot that a late report has filled, by the time of its event; `null` when it has filled none. */
  lateSlot: Instant | null;
  run: Run | null;
  /** What is remarkable about the end that the signal reports; `null` when nothing is, or the signal reports no end. */
  verdict: EndVerdict | null;
  /** The run's length in seconds, as its client measured it; `null` without a plausible one (R43). */
  measuredSeconds: number | null;
  /** Older open runs that became `incomplete`, because a run that began later has succeeded (R21). */
  outlived: readonly Run[];
}

export interface Trouble {
  readonly cause: Cause;
  /** A cause of the open incident that `cause` replaces, because a late report has shown that the old one was wrong. */
  readonly insteadOf?: Cause;
  readonly message: string | null;
  readonly outcomes?: readonly CheckedOutcome[];
  readonly runId: string | null;
  readonly run: Run | null;
  readonly slot: Instant | null;
  /** When the fail happened. It is set only if a pause held the fail back (R24) or its report came late. */
  readonly failedAt?: Instant;
  readonly heardAt?: Instant;
  /** A gap that overlaps the time in which the report was to come, but does not excuse the trouble (R26). */
  readonly gap?: Gap | null;
}

const NO_CHANGES: readonly PauseChange[] = [];

export const openDraft = (monitor: Monitor, gaps: readonly Gap[], past: MonitorPast): Draft => ({
  gaps,
  past,
  monitor: { ...monitor },
  alerts: [],
  unknowns: [],
  pauseChanges: NO_CHANGES,
  lateFrom: null,
  lateSlot: null,
  run: null,
  verdict: null,
  measuredSeconds: null,
  outlived: [],
});

export const reachesNext = (around: SlotsAround, at: Instant): boolean =>
  around.after !== null && around.after - at <= earlyTolerance(around);

/** The newest slot that a report at `at` fills; the report may be early for it (R20). `null` without a schedule. */
export function slotReached({ schedule, timezone }: Watch, at: Instant): Instant | null {
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  return reachesNext(around, at) ? around.after : around.before;
}

/**
 * Notes that a report has filled every slot up to `at`. With `mayBeEarly` the report also fills the next slot when that
 * is near (R20). An interval starts again at `at` (R44). Returns the slots around `at`; `null` without a schedule.
 */
export function fillSlots({ monitor }: Draft, at: Instant, mayBeEarly: boolean): SlotsAround | null {
  const { schedule, timezone } = monitor.watch;
  const interval = intervalOfRhythm(monitor.watch);
  if (interval !== null) monitor.expectedAt = at + interval;
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  const next = mayBeEarly && reachesNext(around, at) ? slotAfter(monitor, around.after!) : around.after;
  if (next !== null && (monitor.expectedAt === null || next > monitor.expectedAt)) monitor.expectedAt = next;
  return around;
}

/**
 * Counts the slots of the open incident that have closed by `until`, and moves `expectedAt` past them (R23). It does so
 * only after people were told of a miss or of a run past its deadline. Slots that close under an open run (R21) or a
 * pause (R24) are passed without being counted.
 */
export function countMissedSlots({ monitor, gaps }: Draft, until: Instant): void {
  const { incident, watch } = monitor;
  const closed = closedBy(monitor, until, gaps);
  if (incident === null || closed === null) return;
  // When the slot of an interval falls into a pause, the interval begins again at the end of the pause (R44).
  if (isPaused(monitor) && intervalOfRhythm(watch) !== null) return;
  const missedSlots = incident.missedSlots + closed.missed;
  const missedTo = closed.missed > 0 ? closed.last : incident.missedTo;
  monitor.incident = { ...incident, missedSlots, missedTo, unheardSlots: incident.unheardSlots + closed.unheard };
  monitor.expectedAt = expectedSlotAfter(monitor, until - closingDelay(watch));
}

/**
 * Notes in `pauseChanges` whether the monitor was paused or watched again at `at`. `before` is the monitor until then.
 */
export function notePauseChange(draft: Draft, before: BeforePauseChange, at: Instant): void {
  const { monitor } = draft;
  if (monitor.pauses === before.pauses) return;
  const paused = isPaused(monitor);
  if (paused === isPaused(before)) return;
  const change = paused ? pauseBegin(monitor, at) : { paused, at, firstSlot: firstCutOff(before, at) };
  draft.pauseChanges = [...draft.pauseChanges, change];
}

type BeforePauseChange = Pick<Monitor, "pauses" | "expectedAt" | "runs">;

/** A pause of the monitor that begins at `at`: slots that a report has filled, or that have closed, are not in it. */
export const pauseBegin = (monitor: Monitor, at: Instant): PauseBegin => ({
  paused: true,
  at,
  firstSlot: Math.max(at - closingDelay(monitor.watch), monitor.expectedAt ?? Number.NEGATIVE_INFINITY),
});

/**
 * The first slot that was covered by a run which the end of the pause at `at` gives up; `null` when it gives none up. A
 * run is given up if its deadline passed under the pause.
 */
const firstCutOff = ({ expectedAt, runs }: BeforePauseChange, at: Instant): Instant | null =>
  runs.some((run) => isOpen(run) && run.deadline <= at) ? expectedAt : null;

/**
 * Empties `carried`, which has the open slots from before a change of schedule, once these slots are over. The last of
 * them is the new schedule's own first slot (R12).
 */
export function leaveCarriedBehind(monitor: Draft["monitor"]): void {
  const own = monitor.carried.at(-1);
  if (own !== undefined && (monitor.expectedAt ?? own) >= own) monitor.carried = NOTHING_CARRIED;
}

interface ClosedSlots {
  readonly missed: number;
  /** How many closed slots are unknown, because a gap may have swallowed their report (R26); not in `missed`. */
  readonly unheard: number;
  /** All slots up to this instant have closed. */
  readonly last: Instant;
}

/**
 * How many slots have closed unfilled by `until` that the incident has not counted yet; `null` when none is to be
 * counted.
 */
function closedBy(monitor: Monitor, until: Instant, gaps: readonly Gap[]): ClosedSlots | null {
  const { incident, expectedAt, watch } = monitor;
  if (incident === null || expectedAt === null || !hasSlots(watch)) return null;
  const last = until - closingDelay(watch);
  if (!onlyCountsSlots(incident) || expectedAt > last) return null;
  if (isPaused(monitor) || monitor.runs.some(isOpen)) return { missed: 0, unheard: 0, last };
  // Gaps matter only for slots after `told`. The slot that an alert named (`incident.expectedAt`) counts as missed,
  // even if a gap touches it.
  const told = incident.expectedAt === expectedAt ? expectedAt : expectedAt - 1;
  const unheard = countDoubtful(monitor, told, last, gaps);
  return { missed: countExpectedSlots(monitor, expectedAt - 1, last) - unheard, unheard, last };
}

/** Counts trouble in the monitor and in its open incident, also when no message may be sent now. */
export function countTrouble({ monitor }: Draft, trouble: Trouble): void {
  if (trouble.cause === "missed") monitor.misses += 1;
  else monitor.failures += 1;
  if (monitor.incident === null) return;
  monitor.incident = {
    ...monitor.incident,
    ...runFieldsAfter(trouble, monitor.incident),
    troubles: monitor.incident.troubles + 1,
    message: troubleMessage(trouble, monitor.incident),
    runId: runIdOf(trouble, monitor.incident),
  };
}

/**
 * The incident's message after this trouble. A fail without a message clears it, because people would take the old
 * message for that of the new fail.
 */
const troubleMessage = ({ cause, message }: Trouble, before: Pick<Incident, "message">): string | null =>
  isReportedCause(cause) ? message : (message ?? before.message);

/**
 * The incident's run_id after this trouble. A fail without a run_id clears it, because the old run_id would lead people
 * to the wrong log.
 */
const runIdOf = ({ cause, runId, run }: Trouble, before: Pick<Incident, "runId">): string | null =>
  runId ?? run?.runId ?? (isReportedCause(cause) ? null : before.runId);

/** The incident's `failedRunBeganAt` and `awaitsRun` after this trouble (R23). A miss leaves them as they were. */
const runFieldsAfter = (
  { cause, run }: Trouble,
  { failedRunBeganAt, awaitsRun }: Pick<Incident, "failedRunBeganAt" | "awaitsRun">,
): Pick<Incident, "failedRunBeganAt" | "awaitsRun"> =>
  cause === "missed"
    ? { failedRunBeganAt, awaitsRun }
    : {
        failedRunBeganAt: run === null || run.runId === null ? null : run.startedAt,
        awaitsRun: cause === "unfinished",
      };

const NO_RUN = { failedRunBeganAt: null, awaitsRun: false };

/**
 * Opens an incident when as many troubles in a row have come as the monitor's settings ask for (R41). If an incident is
 * open already, a cause that is new to it is told at once; a cause told before is not repeated (R23).
 */
export function openOrContinueIncident(draft: Draft, trouble: Trouble, at: Instant): void {
  const { monitor } = draft;
  const { cause } = trouble;
  if (monitor.incident !== null) {
    if (monitor.incident.causes.includes(cause)) return;
    const { causes, expectedAt, failedAt, heardAt } = monitor.incident;
    monitor.incident = {
      ...monitor.incident,
      causes: causesWith(causes, trouble),
      expectedAt: trouble.slot ?? expectedAt,
      failedAt: trouble.failedAt ?? failedAt,
      heardAt: trouble.heardAt ?? heardAt,
    };
    addAlert(draft, {
      kind: "ContinuedFailure",
      reason: "new_cause",
      at,
      cause,
      incident: monitor.incident,
      run: trouble.run,
      outcomes: trouble.outcomes ?? null,
      gap: trouble.gap ?? null,
    });
    return;
  }
  const inARow = cause === "missed" ? monitor.misses : monitor.failures;
  const tolerated = (cause === "missed" ? monitor.watch.alertAfterMisses : monitor.watch.alertAfterFailures) - 1;
  if (inARow <= tolerated) return;
  monitor.incidentCount += 1;
  monitor.incident = inSeries(openedIncident(monitor, trouble, inARow, at), monitor.watch.reminders, draft.past);
  addAlert(draft, {
    kind: monitor.incident.opening,
    reason: "opened",
    at,
    cause,
    incident: monitor.incident,
    run: trouble.run,
    outcomes: trouble.outcomes ?? null,
    gap: trouble.gap ?? null,
  });
}

const causesWith = (causes: Incident["causes"], { cause, insteadOf }: Trouble): Incident["causes"] => {
  const [first, ...others] = [...causes.filter((each) => each !== insteadOf), cause];
  return [first ?? cause, ...others];
};

const openedIncident = (monitor: Monitor, trouble: Trouble, inARow: number, at: Instant): Incident => ({
  number: monitor.incidentCount,
  opening: monitor.receivedAt === null ? "NeverExecuted" : "InitialFailure",
  openedAt: at,
  causes: [trouble.cause],
  troubles: inARow,
  message: trouble.message,
  runId: trouble.runId,
  ...runFieldsAfter(trouble, NO_RUN),
  expectedAt: trouble.slot,
  failedAt: trouble.failedAt ?? null,
  heardAt: trouble.heardAt ?? null,
  missedSlots: trouble.cause === "missed" ? inARow - 1 : 0,
  unheardSlots: 0,
  lateSlots: 0,
  lateTo: null,
  missedTo: trouble.cause === "missed" ? trouble.slot : null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  remindAt: nextReminder(monitor.watch.reminders, { seriesSince: null, openedAt: at }, at),
  remindersSent: 0,
  closedAt: null,
  closedBy: null,
  seriesSince: null,
});

/** Closes the open incident, if there is one, and adds the alert that says so (R23). */
export function closeIncident(draft: Draft, by: ClosedBy, at: Instant): void {
  const { monitor } = draft;
  if (monitor.incident === null) return;
  const incident: Incident = { ...monitor.incident, remindAt: null, closedAt: at, closedBy: by };
  monitor.incident = null;
  draft.past = withClosed(draft.past, incident);
  const cause = incident.causes[0];
  addAlert(draft, { kind: "Recovered", reason: by, at, cause, incident, run: draft.run, outcomes: null, gap: null });
}

/** Adds an alert that keeps the monitor's settings and facts as they are now, because it may be sent later. */
export function addAlert({ monitor, alerts, gaps, lateFrom }: Draft, alert: Omit<Alert, KnownThen>): void {
  const { watch, expectedAt, receivedAt, drift, pauses, runs } = monitor;
  // A slot that closes at the very instant of this run's deadline is not counted yet: the deadline is first (R21).
  const until = alert.cause === "unfinished" && alert.reason === "new_cause" ? alert.at - 1 : alert.at;
  const closed = closedBy(monitor, until, gaps);
  const missedSlots = alert.incident.missedSlots + (closed?.missed ?? 0);
  const unheardSlots = alert.incident.unheardSlots + (closed?.unheard ?? 0);
  const runningSince = runs.filter(isOpen).reduce((newest, run) => Math.max(newest, run.startedAt), NEVER);
  alerts.push({
    ...alert,
    watch,
    expectedAt,
    receivedAt,
    drift,
    pauses,
    missedSlots,
    unheardSlots,
    lateFrom,
    runningSince: runningSince === NEVER ? null : runningSince,
  });
}

type KnownThen =
  | "watch"
  | "expectedAt"
  | "receivedAt"
  | "drift"
  | "pauses"
  | "missedSlots"
  | "unheardSlots"
  | "runningSince"
  | "lateFrom";

const NEVER = Number.NEGATIVE_INFINITY;

export function keepRun({ monitor }: Draft, run: Run): void {
  const known = monitor.runs.some(({ number }) => number === run.number);
  monitor.runs = known ? monitor.runs.map((old) => (old.number === run.number ? run : old)) : [...monitor.runs, run];
  monitor.runCount = Math.max(monitor.runCount, run.number);
}

/**
 * Gives up older open runs as `incomplete`, without an alarm (R21), but only without `maxRuntime`: then a deadline is a
 * guess, and a later run's success is better evidence. A heartbeat that ended no run counts as a run that began at
 * `at`.
 */
export function giveUpOlderRuns(draft: Draft, kind: "heartbeat" | "complete", at: Instant): void {
  const { monitor, run } = draft;
  const beganAt = run?.startedAt ?? (kind === "heartbeat" ? at : null);
  if (monitor.watch.maxRuntimeSeconds !== null || beganAt === null) return;
  draft.outlived = outlivedBy(monitor.runs, beganAt);
  for (const older of draft.outlived) keepRun(draft, incompleteRun(older));
}
