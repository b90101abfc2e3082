// Applies what time alone does to a monitor: maintenance, ends of pauses, run deadlines, closing slots, reminders. Each
// is settled at its own instant, however late the clock is read (R19). Gaps say when reports could be lost (R26). Pure.

import { RETRY_AFTER_GAP } from "../limits.ts";
import { nextMaintenance } from "../schedule/maintenance.ts";
import { firstSlot, intervalOf } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import { doubtsOnRun, doubtsOnSlot, gapsTouching, mayHaveEnded, silenceBefore } from "./doubt.ts";
import {
  addAlert,
  countMissedSlots,
  countTrouble,
  type Draft,
  keepRun,
  leaveCarriedBehind,
  tellTrouble,
} from "./draft.ts";
import { nextReminder, onlyCountsSlots } from "./incident.ts";
import type { Gap, Monitor, PauseKind, Watch } from "./monitor.ts";
import { countExpectedSlots, expectedSlotAfter, isPaused, withLongerPause } from "./monitor.ts";
import { incompleteRun, isOpen, type OpenRun, slowAt } from "./run.ts";
import { closingDelay, windowOf } from "./window.ts";

type Due =
  | { readonly what: "maintenance"; readonly at: Instant; readonly until: Instant }
  | { readonly what: "pause end"; readonly at: Instant }
  | { readonly what: "run deadline"; readonly at: Instant; readonly run: OpenRun }
  | { readonly what: "slot"; readonly at: Instant; readonly slot: Instant; readonly doubts: readonly Gap[] }
  | { readonly what: "reminder"; readonly at: Instant }
  | { readonly what: "slow run"; readonly at: Instant; readonly run: OpenRun };

/** The next instant at which time alone changes this monitor; null when it never does (R19). */
export const wakeAt = (monitor: Monitor, gaps: readonly Gap[]): Instant | null => nextDue(monitor, gaps)?.at ?? null;

/** Settles everything due at `at` or before, in order. `gaps` are over at `at`, disjoint and ascending. */
export function settle(draft: Draft, at: Instant, gaps: readonly Gap[]): void {
  const { monitor } = draft;
  for (let due = nextDue(monitor, gaps); due !== null && due.at <= at; due = nextDue(monitor, gaps)) {
    monitor.changedAt = Math.max(monitor.changedAt, due.at);
    settleOne(draft, due, gaps);
  }
  leaveCarriedBehind(monitor);
}

function settleOne(draft: Draft, due: Due, gaps: readonly Gap[]): void {
  switch (due.what) {
    case "maintenance":
      return beginMaintenance(draft, due);
    case "pause end":
      return endPause(draft, "manual", draft.monitor.changedAt);
    case "run deadline":
      return overrun(draft, due.run, gaps);
    case "slot":
      return closeSlot(draft, due, gaps);
    case "reminder":
      return remind(draft, due.at, gaps);
    case "slow run":
      return noteSlow(draft, due.run, gaps);
    default:
      due satisfies never;
  }
}

/**
 * What time does next. The order at one instant is: maintenance, pause end, run deadline, slot, reminder, slow run
 * (R21). Maintenance comes first so that a pause that ends just as a maintenance begins goes on. While the monitor is
 * paused, only maintenance and the end of a pause are due.
 */
function nextDue(monitor: Monitor, gaps: readonly Gap[]): Due | null {
  const maintenance = maintenanceDue(monitor);
  if (isPaused(monitor)) return earlier(maintenance, pauseEndDue(monitor));
  const trouble = earlier(earlier(runDue(monitor, gaps), slotDue(monitor, gaps)), reminderDue(monitor));
  return earlier(maintenance, earlier(trouble, slowDue(monitor)));
}

/**
 * The next maintenance that begins. Maintenance up to `changedAt` has begun already: at one instant it comes before
 * everything else that time does, and before a signal. A maintenance that ends before a standing pause changes nothing.
 */
function maintenanceDue({ watch, changedAt, pauses: { manual } }: Monitor): Due | null {
  if (watch.maintenance.length === 0 || manual?.until === null) return null;
  const next = nextMaintenance(watch, changedAt, manual?.until ?? changedAt);
  return next === null ? null : { what: "maintenance", at: next.from, until: next.until };
}

/**
 * The end of a manual pause. While the application is suspended the pause does not end, so what it held back stays
 * untold (R3).
 */
function pauseEndDue({ pauses }: Monitor): Due | null {
  if (pauses.suspension) return null;
  const until = pauses.manual?.until ?? null;
  return until === null ? null : { what: "pause end", at: until };
}

const earlier = (first: Due | null, second: Due | null): Due | null =>
  first === null || (second !== null && second.at < first.at) ? second : first;

function runDue(monitor: Monitor, gaps: readonly Gap[]): Due | null {
  let next: Due | null = null;
  for (const run of monitor.runs) {
    if (isOpen(run)) next = earlier(next, { what: "run deadline", at: judgedAt(monitor, run, gaps), run });
  }
  return next;
}

/**
 * When an open run becomes unusually long. That is not told while an incident is open, because people look at the job
 * anyway.
 */
function slowDue({ runs, incident }: Monitor): Due | null {
  let next: Due | null = null;
  for (const run of incident === null ? runs : []) {
    const at = isOpen(run) ? slowAt(run) : null;
    if (isOpen(run) && at !== null) next = earlier(next, { what: "slow run", at, run });
  }
  return next;
}

/**
 * Marks a slow run as told. If its end may have been lost, only its end can tell how long it took, so nothing is told.
 */
function noteSlow(draft: Draft, run: OpenRun, gaps: readonly Gap[]): void {
  const isDoubtful = mayHaveEnded(draft.monitor, run, draft.monitor.changedAt, gaps);
  keepRun(draft, { ...run, usual: isDoubtful || run.usual === null ? null : { ...run.usual, isTold: true } });
}

/** When a run past its deadline is judged: at once, or, after a gap, when clients have had time to retry (R26). */
const judgedAt = (monitor: Monitor, run: OpenRun, gaps: readonly Gap[]): Instant =>
  afterGaps(run.deadline, doubtsOnRun(monitor, run, gaps));

/** The slot that closes next. A miss is told once, so after it nothing is due until a report fills the slot (R23). */
function slotDue(monitor: Monitor, gaps: readonly Gap[]): Due | null {
  if (monitor.expectedAt === null || onlyCountsSlots(monitor.incident)) return null;
  const slot = firstUncovered(monitor, monitor.expectedAt);
  if (slot === null) return null;
  const doubts = doubtsOnSlot(monitor, slot, gaps);
  return { what: "slot", at: afterGaps(closeOf(monitor.watch, slot), doubts), slot, doubts };
}

/**
 * The first slot that closes after all deadlines of open runs, because a slot that closes while a run is within its
 * deadline is not missed. A run past its deadline that waits to be judged covers nothing; otherwise the slots under it
 * would be excused twice (R26).
 */
function firstUncovered(monitor: Monitor, expectedAt: Instant): Instant | null {
  let coveredUntil = Number.NEGATIVE_INFINITY;
  for (const run of monitor.runs) if (isOpen(run)) coveredUntil = Math.max(coveredUntil, run.deadline);
  return firstClosingFrom(monitor, expectedAt, coveredUntil);
}

const firstClosingFrom = (monitor: Monitor, expectedAt: Instant, from: Instant): Instant | null =>
  closeOf(monitor.watch, expectedAt) >= from
    ? expectedAt
    : expectedSlotAfter(monitor, from - closingDelay(monitor.watch) - 1);

const reminderDue = ({ incident }: Monitor): Due | null =>
  incident === null || incident.remindAt === null ? null : { what: "reminder", at: incident.remindAt };

const closeOf = (watch: Watch, slot: Instant): Instant => slot + closingDelay(watch);

const afterGaps = (deadline: Instant, doubts: readonly Gap[]): Instant =>
  doubts.length === 0 ? deadline : Math.max(deadline, doubts.at(-1)!.to + RETRY_AFTER_GAP);

/**
 * Begins a maintenance, which pauses as a person does who names an end, and also covers a slot that closes as it begins
 * (R24). Its time does not count towards an interval; otherwise a nightly maintenance would put off a dead job's slot
 * for ever (R44).
 */
function beginMaintenance(draft: Draft, due: Due & { what: "maintenance" }): void {
  const { monitor } = draft;
  countMissedSlots(draft, due.at - 1);
  if (intervalOf(monitor.watch) !== null && monitor.expectedAt !== null) {
    const from = Math.max(due.at, monitor.pauses.manual?.until ?? due.at);
    monitor.expectedAt += due.until - from;
    if (!isPaused(monitor)) monitor.expectedAt = Math.max(monitor.expectedAt, due.until);
  }
  monitor.pauses = withLongerPause(monitor.pauses, due.until);
}

/**
 * Applies that a run's deadline has passed: the run becomes `unfinished`, or `unknown` when its end may have been lost
 * (R21, R26).
 */
function overrun(draft: Draft, run: OpenRun, gaps: readonly Gap[]): void {
  const { monitor } = draft;
  const at = monitor.changedAt;
  const gap = doubtsOnRun(monitor, run, gaps).at(-1) ?? null;
  const over = { ...run, state: gap === null ? ("unfinished" as const) : ("unknown" as const) };
  keepRun(draft, over);
  if (monitor.expectedAt !== null) monitor.expectedAt = firstClosingFrom(monitor, monitor.expectedAt, run.deadline);
  if (gap !== null) {
    monitor.unheard = true;
    draft.unknowns.push({ at, slot: null, slots: 0, run: over, gap });
    return;
  }
  const touching = gapsTouching(gaps, { from: run.startedAt, to: run.deadline }).at(-1) ?? null;
  const trouble = {
    cause: "unfinished",
    message: null,
    runId: run.runId,
    run: over,
    slot: null,
    gap: touching,
  } as const;
  monitor.failedAt = Math.max(monitor.failedAt ?? run.deadline, run.deadline);
  countTrouble(draft, trouble);
  tellTrouble(draft, trouble, at);
}

function closeSlot(draft: Draft, due: Due & { what: "slot" }, gaps: readonly Gap[]): void {
  const { monitor } = draft;
  const { slot, doubts } = due;
  if (isExcused(monitor, doubts)) return excuse(draft, due, doubts.at(-1)!, gaps);
  monitor.excusedBy = null;
  const gap = gapsTouching(gaps, silenceBefore(monitor, slot)).at(-1) ?? null;
  const trouble = { cause: "missed", message: null, runId: null, run: null, slot, gap } as const;
  countTrouble(draft, trouble);
  tellTrouble(draft, trouble, monitor.changedAt);
  monitor.expectedAt = monitor.incident === null ? expectedSlotAfter(monitor, slot) : slot;
}

/**
 * Skips slots that a late report has uncovered, for example by ending a run that covered them, because further late
 * reports may follow. The next slot decides. Returns whether any slot was skipped.
 */
export function passOver({ monitor, gaps }: Draft, at: Instant): boolean {
  const due = isPaused(monitor) ? null : slotDue(monitor, gaps);
  if (due === null || due.at > at) return false;
  monitor.expectedAt = expectedSlotAfter(monitor, at - closingDelay(monitor.watch));
  return true;
}

/**
 * Whether a slot in doubt is excused. It is not when an earlier gap excused the slot before it and no report has come
 * since (R26).
 */
const isExcused = ({ excusedBy }: Monitor, doubts: readonly Gap[]): boolean =>
  doubts.length > 0 && (excusedBy === null || doubts[0]!.from <= excusedBy);

/** Passes in one step over every slot that the same gap excuses at the same instant. */
function excuse({ monitor, unknowns }: Draft, due: Due & { what: "slot" }, gap: Gap, gaps: readonly Gap[]): void {
  const { watch } = monitor;
  const nextGap = gaps.find(({ from, excuses }) => from > gap.to && excuses !== "nothing");
  const judged = Math.min(due.at, nextGap === undefined ? due.at : nextGap.from - 1);
  // The instant stays as it is while slots are excused in a row; otherwise short gaps, one after another, would excuse
  // every slot.
  monitor.excusedBy ??= gap.to;
  monitor.unheard = true;
  const last = Math.max(due.slot, judged - closingDelay(watch));
  const slots = countExpectedSlots(monitor, due.slot - 1, last);
  const next = expectedSlotAfter(monitor, last);
  // A report that was lost came before the end of the gap, so the next one is due no sooner than an interval later
  // (R44).
  monitor.expectedAt = intervalOf(watch) === null ? next : firstSlot(watch, gap.to);
  const { incident } = monitor;
  if (incident !== null) monitor.incident = { ...incident, unheardSlots: incident.unheardSlots + slots };
  unknowns.push({ at: monitor.changedAt, slot: due.slot, slots, run: null, gap });
}

/**
 * Tells a reminder; one that came due in a gap is skipped. At most `reminders.max` are sent, also when that was lowered
 * (R23).
 */
function remind(draft: Draft, due: Instant, gaps: readonly Gap[]): void {
  const { monitor } = draft;
  const incident = monitor.incident!;
  const { reminders } = monitor.watch;
  if (incident.remindersSent >= reminders.max) {
    monitor.incident = { ...incident, remindAt: null };
    return;
  }
  const [gap] = gapsTouching(gaps, { from: due, to: due });
  if (gap !== undefined) {
    monitor.incident = { ...incident, remindAt: nextReminder(reminders, incident, gap.to) };
    return;
  }
  const remindersSent = incident.remindersSent + 1;
  const last = remindersSent >= reminders.max;
  const remindAt = last ? null : nextReminder(reminders, incident, due);
  monitor.incident = { ...incident, remindersSent, remindAt };
  addAlert(draft, {
    kind: "ContinuedFailure",
    reason: last ? "last_reminder" : "reminder",
    at: monitor.changedAt,
    cause: incident.causes.at(-1)!,
    incident: monitor.incident,
    run: null,
    outcomes: null,
    gap: null,
  });
}

/** Lifts one kind of pause. When no pause is left, the monitor is watched again from `at` (R24). */
export function endPause(draft: Draft, kind: PauseKind, at: Instant): void {
  const { monitor } = draft;
  monitor.pauses = { ...monitor.pauses, [kind]: kind === "manual" ? null : false };
  if (!isPaused(monitor)) watchAgain(monitor, at);
  const { pendingFail } = monitor;
  if (kind !== "manual" || pendingFail === null) return;
  monitor.pendingFail = null;
  // A person may have resolved the incident meanwhile, which cleared its counts, but this fail was never told.
  monitor.failures = Math.max(1, monitor.failures);
  tellTrouble(draft, { cause: "failed", ...pendingFail, run: null, slot: null }, at);
}

function watchAgain(monitor: Draft["monitor"], at: Instant): void {
  const { incident, watch } = monitor;
  monitor.excusedBy = null;
  // A maintenance moves the slot of an interval to its own end or later, so that slot is due now and is kept.
  const isPassed = monitor.expectedAt !== null && monitor.expectedAt <= at - (intervalOf(watch) === null ? 0 : 1);
  if (isPassed) monitor.expectedAt = firstSlot(watch, at);
  monitor.runs = monitor.runs.map((run) => {
    if (!isOpen(run)) return run;
    if (run.deadline <= at) return incompleteRun(run);
    return (slowAt(run) ?? at + 1) <= at ? { ...run, usual: null } : run;
  });
  if (incident?.remindAt == null || incident.remindAt > at) return;
  monitor.incident = { ...incident, remindAt: nextReminder(watch.reminders, incident, at) };
}

export function isInDoubt(monitor: Monitor, gap: Gap): boolean {
  const due = isPaused(monitor) ? null : slotDue(monitor, [gap]);
  if (due?.what === "slot" && due.doubts.length > 0) return true;
  return monitor.runs.some((run) => isOpen(run) && doubtsOnRun(monitor, run, [gap]).length > 0);
}

/**
 * The start of the earliest slot or run that is still to be judged; gaps before it no longer matter (R26). `null` when
 * everything is judged. A run whose deadline passes under a pause is not judged.
 */
export function undecidedSince(monitor: Monitor, now: Instant): Instant | null {
  const paused = isPaused(monitor);
  const due = paused ? null : slotDue(monitor, []);
  let since = due?.what === "slot" ? windowOf(monitor, due.slot).from : Number.POSITIVE_INFINITY;
  for (const run of monitor.runs) {
    if (isOpen(run) && (!paused || run.deadline > now)) since = Math.min(since, run.startedAt);
  }
  return since === Number.POSITIVE_INFINITY ? null : since;
}
