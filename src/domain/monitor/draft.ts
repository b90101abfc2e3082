// A draft is the monitor while one transition works on it, with the alerts that the transition raises. settle.ts (time)
// and transition.ts (signals) share the changes that are here. Drafts never leave the domain.

import type { Alert } from "../message/alert.ts";
import { hasSlots, intervalOf } from "../schedule/rhythm.ts";
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
 * A slot or a run that would count as trouble if its report had not perhaps been lost (R26). `gap` is `null` when the
 * rate limit refused the report. A summary lists it; it never raises an alert.
 */
export interface Unknown {
  readonly at: Instant;
  readonly slot: Instant | null;
  /** The number of slots in a row that this entry covers, beginning with `slot`; 0 when it is about a run. */
  readonly slots: number;
  readonly run: Run | null;
  readonly gap: Gap | null;
}

export interface Draft {
  readonly gaps: readonly Gap[];
  /** The earlier incidents of the monitor, by which a new incident may continue their series. */
  past: MonitorPast;
  readonly monitor: { -readonly [Field in keyof Monitor]: Monitor[Field] };
  readonly alerts: Alert[];
  readonly unknowns: Unknown[];
  /** When the event of a late report happened, while that report is applied; `null` at any other time. */
  lateFrom: Instant | null;
  /**
   * The slot that a late report has filled, taken at the time of its event; `null` when no late report has filled one.
   */
  lateSlot: Instant | null;
  run: Run | null;
  /** The verdict on the end that the signal reports; `null` when it reports no end or its end is unremarkable. */
  verdict: EndVerdict | null;
  /** How long the run took, in seconds, as its client measured it; `null` when it gave no plausible length (R43). */
  measuredSeconds: number | null;
  /** Runs without an end that this success has turned `incomplete` (R21). */
  outlived: readonly Run[];
}

export interface Trouble {
  readonly cause: Cause;
  /** The cause of the open incident that this cause replaces, because a late report has shown it to be wrong. */
  readonly insteadOf?: Cause;
  readonly message: string | null;
  readonly outcomes?: readonly CheckedOutcome[];
  readonly runId: string | null;
  readonly run: Run | null;
  readonly slot: Instant | null;
  /** When the fail happened, if a pause held it back (R24) or its report came late. */
  readonly failedAt?: Instant;
  readonly heardAt?: Instant;
  /** A gap that touches this trouble without excusing it (R26). */
  readonly gap?: Gap | null;
}

export const openDraft = (monitor: Monitor, gaps: readonly Gap[], past: MonitorPast): Draft => ({
  gaps,
  past,
  monitor: { ...monitor },
  alerts: [],
  unknowns: [],
  lateFrom: null,
  lateSlot: null,
  run: null,
  verdict: null,
  measuredSeconds: null,
  outlived: [],
});

export const reachesNext = (around: SlotsAround, at: Instant): boolean =>
  around.after !== null && around.after - at <= earlyTolerance(around);

/** The newest slot of a schedule that a report at `at` fills when it may be early (R20). `null` without a schedule. */
export function slotReached({ schedule, timezone }: Watch, at: Instant): Instant | null {
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  return reachesNext(around, at) ? around.after : around.before;
}

/**
 * A report at `at` fills every slot up to its time and, if it may be early, the next slot when that is near (R20). An
 * interval starts again, however early the report is (R44). Returns the slots around `at`, or `null` without a
 * schedule.
 */
export function fillSlots({ monitor }: Draft, at: Instant, mayBeEarly: boolean): SlotsAround | null {
  const { schedule, timezone } = monitor.watch;
  const interval = intervalOf(monitor.watch);
  if (interval !== null) monitor.expectedAt = at + interval;
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  const next = mayBeEarly && reachesNext(around, at) ? slotAfter(monitor, around.after!) : around.after;
  if (next !== null && (monitor.expectedAt === null || next > monitor.expectedAt)) monitor.expectedAt = next;
  return around;
}

/**
 * Counts the slots that have closed by `until` since a miss was told, and moves `expectedAt` past them (R23). Until
 * then `expectedAt` stays at the missed slot. Slots under an open run (R21) or a pause (R24) are not missed.
 */
export function countMissedSlots({ monitor, gaps }: Draft, until: Instant): void {
  const { incident, watch } = monitor;
  const closed = closedBy(monitor, until, gaps);
  if (incident === null || closed === null) return;
  // The slot of an interval that falls into a pause is set when the pause ends (R44).
  if (isPaused(monitor) && intervalOf(watch) !== null) return;
  const missedSlots = incident.missedSlots + closed.missed;
  const missedTo = closed.missed > 0 ? closed.last : incident.missedTo;
  monitor.incident = { ...incident, missedSlots, missedTo, unheardSlots: incident.unheardSlots + closed.unheard };
  monitor.expectedAt = expectedSlotAfter(monitor, until - closingDelay(watch));
}

/** Forgets the carried slots once only slots of the schedule in force are expected. */
export function leaveCarriedBehind(monitor: Draft["monitor"]): void {
  const own = monitor.carried.at(-1);
  if (own !== undefined && (monitor.expectedAt ?? own) >= own) monitor.carried = NOTHING_CARRIED;
}

interface ClosedSlots {
  readonly missed: number;
  /** How many of the slots fell into a gap (R26). */
  readonly unheard: number;
  /** No closed slot lies after this instant. */
  readonly last: Instant;
}

/**
 * Counts the slots that have closed unfilled by `until` and are not counted yet. `null` when no slot is to be counted.
 */
function closedBy(monitor: Monitor, until: Instant, gaps: readonly Gap[]): ClosedSlots | null {
  const { incident, expectedAt, watch } = monitor;
  if (incident === null || expectedAt === null || !hasSlots(watch)) return null;
  const last = until - closingDelay(watch);
  if (!onlyCountsSlots(incident) || expectedAt > last) return null;
  if (isPaused(monitor) || monitor.runs.some(isOpen)) return { missed: 0, unheard: 0, last };
  // The slot whose miss was told counts as missed, even if a gap touches it.
  const told = incident.expectedAt === expectedAt ? expectedAt : expectedAt - 1;
  const unheard = countDoubtful(monitor, told, last, gaps);
  return { missed: countExpectedSlots(monitor, expectedAt - 1, last) - unheard, unheard, last };
}

/** Counts trouble when it happens, whether or not it may be told now. */
export function countTrouble({ monitor }: Draft, trouble: Trouble): void {
  if (trouble.cause === "missed") monitor.misses += 1;
  else monitor.failures += 1;
  if (monitor.incident === null) return;
  monitor.incident = {
    ...monitor.incident,
    ...ofRun(trouble, monitor.incident),
    troubles: monitor.incident.troubles + 1,
    message: troubleMessage(trouble, monitor.incident),
    runId: runIdOf(trouble, monitor.incident),
  };
}

/**
 * The message of the trouble. A fail without a message gets none, because the message of an older failure would be
 * mistaken for its own.
 */
const troubleMessage = ({ cause, message }: Trouble, before: Pick<Incident, "message">): string | null =>
  isReportedCause(cause) ? message : (message ?? before.message);

/**
 * The run_id of the trouble. A fail without an id gets none, because the id of an older failure would lead to the wrong
 * log.
 */
const runIdOf = ({ cause, runId, run }: Trouble, before: Pick<Incident, "runId">): string | null =>
  runId ?? run?.runId ?? (isReportedCause(cause) ? null : before.runId);

/** The fields by which an incident remembers the run that failed last (R23). */
const ofRun = (
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
 * Opens an incident at the n-th trouble in a row (R41). If an incident is open, a new cause is told once, at once
 * (R23).
 */
export function tellTrouble(draft: Draft, trouble: Trouble, at: Instant): void {
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
  ...ofRun(trouble, NO_RUN),
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

/** Closes the open incident, if there is one, and reports its whole story (R23). */
export function closeIncident(draft: Draft, by: ClosedBy, at: Instant): void {
  const { monitor } = draft;
  if (monitor.incident === null) return;
  const incident: Incident = { ...monitor.incident, remindAt: null, closedAt: at, closedBy: by };
  monitor.incident = null;
  draft.past = withClosed(draft.past, incident);
  const cause = incident.causes[0];
  addAlert(draft, { kind: "Recovered", reason: by, at, cause, incident, run: draft.run, outcomes: null, gap: null });
}

/** Adds an alert, together with what is known of the monitor at this moment. */
export function addAlert({ monitor, alerts, gaps, lateFrom }: Draft, alert: Omit<Alert, KnownThen>): void {
  const { watch, expectedAt, receivedAt, drift, pauses, runs } = monitor;
  // When a run's deadline and a slot's close fall on one instant, the deadline comes first (R21).
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

/** Replaces the run that has the same number, or adds the run. */
export function keepRun({ monitor }: Draft, run: Run): void {
  const known = monitor.runs.some(({ number }) => number === run.number);
  monitor.runs = known ? monitor.runs.map((old) => (old.number === run.number ? run : old)) : [...monitor.runs, run];
  monitor.runCount = Math.max(monitor.runCount, run.number);
}

/**
 * Gives up older open runs without an alarm (R21). Without `maxRuntime` a deadline is only a guess, and the success of
 * a run that began later is better evidence. A heartbeat that ended no run counts as a run that began with it.
 */
export function giveUpOlderRuns(draft: Draft, kind: "heartbeat" | "complete", at: Instant): void {
  const { monitor, run } = draft;
  const beganAt = run?.startedAt ?? (kind === "heartbeat" ? at : null);
  if (monitor.watch.maxRuntimeSeconds !== null || beganAt === null) return;
  draft.outlived = outlivedBy(monitor.runs, beganAt);
  for (const older of draft.outlived) keepRun(draft, incompleteRun(older));
}
