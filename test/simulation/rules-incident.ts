// The rulings on a monitor's incidents (R23, R41), restated simply: when one opens, what is added to it, which
// reminders come, how it ends. For the verdict: imports nothing from the product but types.

import type { AlertKind, Reason } from "../../src/domain/message/alert.ts";
import type { Cause } from "../../src/domain/monitor/incident.ts";
import type { KnownRun } from "./rules-runs.ts";
import type { ExpectedAlert, RuleTerms } from "./rules-words.ts";
import { DAY, HOUR, type Instant } from "./units.ts";

export interface Trouble {
  readonly cause: Cause;
  readonly message: string | null;
  /** As the report named it, whether or not a run was found. */
  readonly runId: string | null;
  readonly run: KnownRun | null;
  readonly slot: Instant | null;
}

interface Incident {
  readonly number: number;
  readonly openedAt: Instant;
  readonly causes: readonly Cause[];
  readonly missedSlots: number;
  readonly unheardSlots: number;
  readonly troubles: number;
  readonly message: string | null;
  readonly runId: string | null;
  /** When the run began that failed last, where its id tells which one it was. */
  readonly failedRunBeganAt: Instant | null;
  /** It was told to be overdue, and nothing has come since. */
  readonly awaitsRun: boolean;
  readonly expectedAt: Instant | null;
  readonly remindAt: Instant | null;
  readonly remindersSent: number;
  /** When the first of the incidents began that followed one another within an hour each; reminders count from it. */
  readonly remindedFrom: Instant;
}

type Ended = Pick<Incident, "openedAt" | "remindersSent" | "remindedFrom"> & { readonly closedAt: Instant };

export interface Incidents {
  /**
   * Slots that close are counted and not told: a miss was told, or a run that was told to be overdue may still report
   * (R23).
   */
  onlyCount(): boolean;
  /** When people are to be reminded; null: never. */
  remindAt(): Instant | null;
  trouble(trouble: Trouble, at: Instant, terms: RuleTerms): void;
  /** One more slot closed unfilled after the miss was told. */
  countMissed(): void;
  /** One closed in a gap of ours while an incident is open. */
  countUnheard(): void;
  /**
   * The reminder that was due at `due` is told, or not made up when its time fell into a gap until `deafUntil`.
   * `uncounted`: how many slots have been missed beside those that were counted.
   */
  remind(due: Instant, at: Instant, deafUntil: Instant | null, uncounted: number): void;
  received(at: Instant): void;
  succeeded(at: Instant, run: KnownRun | null): void;
  /** The clock had been wrong. */
  /** `heardBack`: of when a report was heard last. */
  pullBack(now: Instant, back: (at: Instant) => Instant, heardBack: (end: Instant) => Instant): void;
  /** See `MonitorRules.keep`. */
  keep(): () => void;
}

const REMINDERS = [HOUR, 6 * HOUR, DAY];
const REMINDERS_MOST = 30;

export function incidentRules(tell: (alert: ExpectedAlert) => void): Incidents {
  let incident: Incident | null = null;
  let last: Ended | null = null;
  let incidents = 0;
  let misses = 0;
  let failures = 0;
  let receivedAt: Instant | null = null;

  function trouble(found: Trouble, at: Instant, terms: RuleTerms): void {
    const { cause } = found;
    const inARow = cause === "missed" ? ++misses : ++failures;
    if (incident !== null) addTo(incident, found, at);
    else if (inARow >= (cause === "missed" ? terms.alertAfterMisses : terms.alertAfterFailures))
      open(found, inARow, at);
  }

  /**
   * The reminders of a job that fails within an hour of the last time go on. One that came due since counts, and only
   * people hear it, to whom the failure itself is not told now.
   */
  function remindersFrom(at: Instant) {
    if (last === null || at - last.openedAt > HOUR || at < last.openedAt)
      return { isReminderDue: false, remindedFrom: at, remindersSent: 0, remindAt: reminderAfter(at, at) };
    const { remindedFrom, closedAt } = last;
    const isDue = reminderAfter(remindedFrom, closedAt) <= at;
    const remindersSent = Math.min(REMINDERS_MOST, last.remindersSent + (isDue ? 1 : 0));
    const remindAt = remindersSent < REMINDERS_MOST ? reminderAfter(remindedFrom, isDue ? at : closedAt) : null;
    return { isReminderDue: isDue, remindedFrom, remindersSent, remindAt };
  }

  function open({ cause, message, runId, run, slot }: Trouble, inARow: number, at: Instant): void {
    const { isReminderDue, ...reminders } = remindersFrom(at);
    incident = {
      number: ++incidents,
      openedAt: at,
      causes: [cause],
      missedSlots: cause === "missed" ? inARow : 0,
      unheardSlots: 0,
      troubles: inARow,
      message,
      runId,
      expectedAt: slot,
      ...reminders,
      ...ofRun(cause, run),
    };
    say(receivedAt === null ? "NeverExecuted" : "InitialFailure", "opened", cause, at, run);
    const isLast = reminders.remindersSent === REMINDERS_MOST;
    if (isReminderDue)
      say("ContinuedFailure", isLast ? "last_reminder" : "reminder", cause, at, run, { isForPeople: true });
  }

  function addTo(open: Incident, { cause, message, runId, run, slot }: Trouble, at: Instant): void {
    const isNew = !open.causes.includes(cause);
    incident = {
      ...open,
      ...(cause === "missed" ? {} : ofRun(cause, run)),
      troubles: open.troubles + 1,
      // What an older failure said is no word of this one.
      message: cause === "failed" || cause === "outcome" ? message : (message ?? open.message),
      runId: runId ?? run?.runId ?? (cause === "failed" || cause === "outcome" ? null : open.runId),
      missedSlots: open.missedSlots + (cause === "missed" ? 1 : 0),
      causes: isNew ? [...open.causes, cause] : open.causes,
      expectedAt: isNew ? (slot ?? open.expectedAt) : open.expectedAt,
    };
    if (isNew) say("ContinuedFailure", "new_cause", cause, at, run);
  }

  function remind(due: Instant, at: Instant, deafUntil: Instant | null, uncounted: number): void {
    const open = incident!;
    if (deafUntil !== null) {
      incident = { ...open, remindAt: reminderAfter(open.remindedFrom, deafUntil) };
      return;
    }
    const remindersSent = open.remindersSent + 1;
    const isLast = remindersSent === REMINDERS_MOST;
    incident = { ...open, remindersSent, remindAt: isLast ? null : reminderAfter(open.remindedFrom, due) };
    say("ContinuedFailure", isLast ? "last_reminder" : "reminder", open.causes.at(-1)!, at, null, { uncounted });
  }

  function succeeded(at: Instant, run: KnownRun | null): void {
    misses = 0;
    failures = 0;
    if (incident === null) return;
    const failedAt = incident.failedRunBeganAt;
    if (failedAt !== null && run !== null && run.runId !== null && (run.startedAt ?? failedAt) < failedAt) return;
    say("Recovered", "success", incident.causes[0]!, at, run);
    last = { ...incident, closedAt: at };
    incident = null;
  }

  function say(
    kind: AlertKind,
    reason: Reason,
    cause: Cause,
    at: Instant,
    run: KnownRun | null,
    { uncounted = 0, isForPeople = false } = {},
  ): void {
    const { number, openedAt, causes, missedSlots, unheardSlots, troubles, message, expectedAt, runId } = incident!;
    const recovered = kind === "Recovered";
    tell({
      isForPeople,
      incident: number,
      kind,
      reason,
      cause,
      causes,
      at,
      openedAt,
      recoveredAt: recovered ? at : null,
      missedSlots: reason === "opened" ? null : missedSlots + uncounted,
      unheardSlots: recovered ? unheardSlots : null,
      troubles,
      failureMessage: message,
      expectedAt,
      lastPingAt: receivedAt,
      // A miss is about no run, whatever an earlier trouble was about.
      runId: cause === "missed" && (reason === "opened" || reason === "new_cause") ? null : (run?.runId ?? runId),
    });
  }

  function pullBack(now: Instant, back: (at: Instant) => Instant, heardBack: (end: Instant) => Instant): void {
    if (receivedAt !== null) receivedAt = heardBack(receivedAt);
    if (incident === null) return;
    const openedAt = back(incident.openedAt);
    const remindedFrom = back(incident.remindedFrom);
    const remindAt = incident.remindAt === null ? null : reminderAfter(remindedFrom, now);
    const failedRunBeganAt = incident.failedRunBeganAt === null ? null : back(incident.failedRunBeganAt);
    const expectedAt = incident.expectedAt === null ? null : back(incident.expectedAt);
    incident = { ...incident, openedAt, expectedAt, remindAt, remindedFrom, failedRunBeganAt };
  }

  return {
    onlyCount: () => incident !== null && (incident.causes.includes("missed") || incident.awaitsRun),
    remindAt: () => incident?.remindAt ?? null,
    trouble,
    countMissed: () => {
      if (incident !== null) incident = { ...incident, missedSlots: incident.missedSlots + 1 };
    },
    countUnheard: () => {
      if (incident !== null) incident = { ...incident, unheardSlots: incident.unheardSlots + 1 };
    },
    remind,
    received: (at) => {
      if (incident !== null) incident = { ...incident, awaitsRun: false };
      receivedAt = at;
    },
    succeeded,
    pullBack,
    keep: () => {
      const kept = { incident, last, incidents, misses, failures, receivedAt };
      return () => {
        ({ incident, last, incidents, misses, failures, receivedAt } = kept);
      };
    },
  };
}

/** What is remembered of the run that a trouble is about; a miss is about none. */
const ofRun = (cause: Cause, run: KnownRun | null) => ({
  failedRunBeganAt: cause === "missed" || run === null || run.runId === null ? null : run.startedAt,
  awaitsRun: cause === "unfinished",
});

/** R23: 1 h, 6 h and 24 h after the opening, then daily: the first strictly after `after`. */
function reminderAfter(openedAt: Instant, after: Instant): Instant {
  for (const delay of REMINDERS) if (openedAt + delay > after) return openedAt + delay;
  let at = openedAt + DAY;
  while (at <= after) at += DAY;
  return at;
}
