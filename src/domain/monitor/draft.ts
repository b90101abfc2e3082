// A draft: the monitor while one transition works on it, with the alerts that transition raises. settle.ts (time) and
// transition.ts (signals) share the changes here; nothing outside the domain sees a draft.

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
import type { CheckedOutcome } from "./outcomes.ts";
import { type EndVerdict, incompleteRun, isOpen, outlivedBy, type Run } from "./run.ts";
import { inSeries, type MonitorPast, withClosed } from "./series.ts";
import { closingDelay, earlyTolerance } from "./window.ts";

/**
 * Something that would have been trouble if we had been able to hear (R26). `gap` null: the rate limit refused the
 * report. A summary reports it, never an alert.
 */
export interface Unknown {
  readonly at: Instant;
  readonly slot: Instant | null;
  /** How many slots it stands for: this one and those after it; 0 when it is about a run. */
  readonly slots: number;
  readonly run: Run | null;
  readonly gap: Gap | null;
}

export interface Draft {
  readonly gaps: readonly Gap[];
  /** What an incident that opens has to know of the time before it. */
  past: MonitorPast;
  readonly monitor: { -readonly [Field in keyof Monitor]: Monitor[Field] };
  readonly alerts: Alert[];
  readonly unknowns: Unknown[];
  /** When the report that is being applied happened, if it is late; null: it is not, or none is. */
  lateFrom: Instant | null;
  /** The slot that a late report has filled, by when it happened; null: none has. */
  lateSlot: Instant | null;
  run: Run | null;
  /** Of the end that the signal is; null: it is none, or there is nothing to say of it. */
  verdict: EndVerdict | null;
  /** How long the run took by its client's measure, in seconds; null: not said, or not believed (R43). */
  measuredSeconds: number | null;
  /** Runs without an end that the signal's success has made `incomplete` (R21). */
  outlived: readonly Run[];
}

export interface Trouble {
  readonly cause: Cause;
  /** The cause of the open incident that a late report has shown to be none, and that this one takes the place of. */
  readonly insteadOf?: Cause;
  readonly message: string | null;
  readonly outcomes?: readonly CheckedOutcome[];
  readonly runId: string | null;
  readonly run: Run | null;
  readonly slot: Instant | null;
  /** Only for a fail that a pause held back (R24) or that is late: when it happened. */
  readonly failedAt?: Instant;
  readonly heardAt?: Instant;
  /** A time in which we could not hear that touches this trouble but does not excuse it (R26). */
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

/** The newest slot of a schedule that a report at `at` fills when it may be early (R20); null without a schedule. */
export function slotReached({ schedule, timezone }: Watch, at: Instant): Instant | null {
  if (schedule === null) return null;
  const around = slotsAround(schedule, timezone, at);
  return reachesNext(around, at) ? around.after : around.before;
}

/**
 * A report at `at` fills every slot up to its own time and, if it may be early, the next one when that is near (R20).
 * Returns the slots around it; null without a schedule. An interval begins again, however early the report is (R44).
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
 * While slots are only counted, `expectedAt` stays at the missed slot. Here we count the later ones that have closed at
 * `until` and leave them behind (R23). Slots under an open run (R21) or a pause (R24) are not missed.
 */
export function countMissedSlots({ monitor, gaps }: Draft, until: Instant): void {
  const { incident, watch } = monitor;
  const closed = closedBy(monitor, until, gaps);
  if (incident === null || closed === null) return;
  // The end of the pause begins an interval again whose slot has fallen into it (R44).
  if (isPaused(monitor) && intervalOf(watch) !== null) return;
  const missedSlots = incident.missedSlots + closed.missed;
  const missedTo = closed.missed > 0 ? closed.last : incident.missedTo;
  monitor.incident = { ...incident, missedSlots, missedTo, unheardSlots: incident.unheardSlots + closed.unheard };
  monitor.expectedAt = expectedSlotAfter(monitor, until - closingDelay(watch));
}

/** Once only slots of the schedule in force are expected, we forget the carried ones. */
export function leaveCarriedBehind(monitor: Draft["monitor"]): void {
  const own = monitor.carried.at(-1);
  if (own !== undefined && (monitor.expectedAt ?? own) >= own) monitor.carried = NOTHING_CARRIED;
}

interface ClosedSlots {
  readonly missed: number;
  /** Slots that fell into a time in which we could not hear (R26). */
  readonly unheard: number;
  /** No newer slot is among them. */
  readonly last: Instant;
}

/** How many more slots have closed unfilled by `until` than we have counted; null: there is no slot to count. */
function closedBy(monitor: Monitor, until: Instant, gaps: readonly Gap[]): ClosedSlots | null {
  const { incident, expectedAt, watch } = monitor;
  if (incident === null || expectedAt === null || !hasSlots(watch)) return null;
  const last = until - closingDelay(watch);
  if (!onlyCountsSlots(incident) || expectedAt > last) return null;
  if (isPaused(monitor) || monitor.runs.some(isOpen)) return { missed: 0, unheard: 0, last };
  // The slot whose miss we reported counts as missed, whatever gap touches it.
  const told = incident.expectedAt === expectedAt ? expectedAt : expectedAt - 1;
  const unheard = countDoubtful(monitor, told, last, gaps);
  return { missed: countExpectedSlots(monitor, expectedAt - 1, last) - unheard, unheard, last };
}

/** We count trouble when it happens, whether or not we may report it now. */
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

/** A report without a message has none: that of an older failure would pass for its own. */
const troubleMessage = ({ cause, message }: Trouble, before: Pick<Incident, "message">): string | null =>
  isReportedCause(cause) ? message : (message ?? before.message);

/** A fail without an id is of a run that we do not know by one: the id of an older failure would name another's log. */
const runIdOf = ({ cause, runId, run }: Trouble, before: Pick<Incident, "runId">): string | null =>
  runId ?? run?.runId ?? (isReportedCause(cause) ? null : before.runId);

/** What an incident remembers of the run that failed last (R23). */
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

/** Opens the incident at the n-th trouble in a row (R41); an open one reports a new cause at once, once (R23). */
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

/** Keeps an alert, with what the monitor knows at this moment. */
export function addAlert({ monitor, alerts, gaps, lateFrom }: Draft, alert: Omit<Alert, KnownThen>): void {
  const { watch, expectedAt, receivedAt, drift, pauses, runs } = monitor;
  // R21: when a run's deadline and a slot's close fall on one instant, the deadline comes first.
  const until = alert.cause === "unfinished" && alert.reason === "new_cause" ? alert.at - 1 : alert.at;
  const closed = closedBy(monitor, until, gaps);
  const missedSlots = alert.incident.missedSlots + (closed?.missed ?? 0);
  const unheardSlots = alert.incident.unheardSlots + (closed?.unheard ?? 0);
  const runningSince = runs.filter(isOpen).reduce((newest, run) => Math.max(newest, run.startedAt), NEVER);
  alerts.push({
    ...alert,
    ...{ watch, expectedAt, receivedAt, drift, pauses, missedSlots, unheardSlots, lateFrom },
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

/** Puts `run` in place of the one with its number, or adds it. */
export function keepRun({ monitor }: Draft, run: Run): void {
  const known = monitor.runs.some(({ number }) => number === run.number);
  monitor.runs = known ? monitor.runs.map((old) => (old.number === run.number ? run : old)) : [...monitor.runs, run];
  monitor.runCount = Math.max(monitor.runCount, run.number);
}

/**
 * Without `maxRuntime` a deadline is a guess, and a success of a run that began later is the better sign: we give up
 * older open runs without an alarm (R21). A heartbeat that ended no run counts as a run that began with it.
 */
export function giveUpOlderRuns(draft: Draft, kind: "heartbeat" | "complete", at: Instant): void {
  const { monitor, run } = draft;
  const beganAt = run?.startedAt ?? (kind === "heartbeat" ? at : null);
  if (monitor.watch.maxRuntimeSeconds !== null || beganAt === null) return;
  draft.outlived = outlivedBy(monitor.runs, beganAt);
  for (const older of draft.outlived) keepRun(draft, incompleteRun(older));
}
