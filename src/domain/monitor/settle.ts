// Applies what time alone does to a monitor: maintenance begins, a pause ends, a run passes its deadline, a slot
// closes, a reminder comes. Each counts from its own instant, however late rollcall looks at the clock (R19). Pure.

import { RETRY_AFTER_GAP } from "../limits.ts";
import { nextMaintenance } from "../schedule/maintenance.ts";
import { firstSlot, intervalOfRhythm } from "../schedule/rhythm.ts";
import type { Instant } from "../time.ts";
import { doubtsOnRun, doubtsOnSlot, gapsTouching, mayHaveEnded, silenceBefore } from "./doubt.ts";
import {
  addAlert,
  countMissedSlots,
  countTrouble,
  type Draft,
  keepRun,
  leaveCarriedBehind,
  notePauseChange,
  openOrContinueIncident,
} from "./draft.ts";
import { nextReminder, onlyCountsSlots } from "./incident.ts";
import type { Gap, Monitor, PauseKind, Watch } from "./monitor.ts";
import { countExpectedSlots, expectedSlotAfter, isPaused, withLongerPause } from "./monitor.ts";
import { incompleteRun, isOpen, type OpenRun, slowAt } from "./run.ts";
import { closingDelay, windowOfSlot } from "./window.ts";

type Due =
  | { readonly what: "maintenance"; readonly at: Instant; readonly until: Instant }
  | { readonly what: "pause end"; readonly at: Instant }
  | { readonly what: "run deadline"; readonly at: Instant; readonly run: OpenRun }
  | { readonly what: "slot"; readonly at: Instant; readonly slot: Instant; readonly doubts: readonly Gap[] }
  | { readonly what: "reminder"; readonly at: Instant }
  | { readonly what: "slow run"; readonly at: Instant; readonly run: OpenRun };

/** When time alone changes this monitor next; `null` when it never does (R19). */
export const wakeAt = (monitor: Monitor, gaps: readonly Gap[]): Instant | null => nextDue(monitor, gaps)?.at ?? null;

/** Applies everything that has come due by `at`, in order. `gaps` are over by `at`, ascending, and do not overlap. */
export function settle(draft: Draft, at: Instant, gaps: readonly Gap[]): void {
  const { monitor } = draft;
  for (let due = nextDue(monitor, gaps); due !== null && due.at <= at; due = nextDue(monitor, gaps)) {
    monitor.changedAt = Math.max(monitor.changedAt, due.at);
    const { pauses, expectedAt, runs } = monitor;
    settleOne(draft, due, gaps);
    notePauseChange(draft, { pauses, expectedAt, runs }, monitor.changedAt);
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
 * What comes due next. At one instant the order is: maintenance, end of a pause, deadline of a run, slot, reminder,
 * slow run (R21). Maintenance is first, so that a pause that ends at that instant goes on. While the monitor is paused,
 * only maintenance and the end of the pause come due.
 */
function nextDue(monitor: Monitor, gaps: readonly Gap[]): Due | null {
  const maintenance = maintenanceDue(monitor);
  if (isPaused(monitor)) return earlier(maintenance, pauseEndDue(monitor));
  const trouble = earlier(earlier(runDue(monitor, gaps), slotDue(monitor, gaps)), reminderDue(monitor));
  return earlier(maintenance, earlier(trouble, slowDue(monitor)));
}

/**
 * The next maintenance that begins after `changedAt`; an earlier one has begun already. A maintenance that ends before
 * the manual pause does is passed over, because it would change nothing.
 */
function maintenanceDue({ watch, changedAt, pauses: { manual } }: Monitor): Due | null {
  if (watch.maintenance.length === 0 || manual?.until === null) return null;
  const next = nextMaintenance(watch, changedAt, manual?.until ?? changedAt);
  return next === null ? null : { what: "maintenance", at: next.from, until: next.until };
}

/**
 * The end of a manual pause; `null` when the pause has none, or the application is suspended. While the application is
 * suspended the pause goes on, and what it held back stays untold (R3).
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
 * When an open run begins to take unusually long. `null` without such a run, and while an incident is open, because
 * people look at the job then anyway.
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
 * Marks a run that takes unusually long, so that people are told of it once. If a gap may have swallowed the end of the
 * run, people are not told, because the run may have ended in time.
 */
function noteSlow(draft: Draft, run: OpenRun, gaps: readonly Gap[]): void {
  const isDoubtful = mayHaveEnded(draft.monitor, run, draft.monitor.changedAt, gaps);
  keepRun(draft, { ...run, usual: isDoubtful || run.usual === null ? null : { ...run.usual, isTold: true } });
}

/**
 * When a run without an end is judged: at its deadline, but not before a minute after the last gap that leaves its end
 * in doubt, because clients retry (R26).
 */
const judgedAt = (monitor: Monitor, run: OpenRun, gaps: readonly Gap[]): Instant =>
  afterGaps(run.deadline, doubtsOnRun(monitor, run, gaps));

/**
 * The slot that closes next; `null` when none is to be judged. Once people were told of a miss, or of a run past its
 * deadline, further slots are only counted (R23).
 */
function slotDue(monitor: Monitor, gaps: readonly Gap[]): Due | null {
  if (monitor.expectedAt === null || onlyCountsSlots(monitor.incident)) return null;
  const slot = firstUncovered(monitor, monitor.expectedAt);
  if (slot === null) return null;
  const doubts = doubtsOnSlot(monitor, slot, gaps);
  return { what: "slot", at: afterGaps(closeOf(monitor.watch, slot), doubts), slot, doubts };
}

/**
 * The first slot from `expectedAt` on that no open run covers. The open runs cover each slot that closes before the
 * last of their deadlines: the job is at work, so that slot is not missed. A run past its deadline covers no more
 * slots, even while it waits for its judgement. Otherwise a gap that excuses the run would excuse these slots, too
 * (R26).
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
 * Begins a maintenance, which is a manual pause with an end. A slot that closes at the instant of the beginning is
 * covered too (R24). With an interval, the expected slot moves by the length of the maintenance. The interval does not
 * begin again: otherwise a maintenance each night would put off the slot of a dead job for ever (R44).
 */
function beginMaintenance(draft: Draft, due: Due & { what: "maintenance" }): void {
  const { monitor } = draft;
  countMissedSlots(draft, due.at - 1);
  judgeWaiting(draft, due.at - 1);
  if (intervalOfRhythm(monitor.watch) !== null && monitor.expectedAt !== null) {
    const from = Math.max(due.at, monitor.pauses.manual?.until ?? due.at);
    monitor.expectedAt += due.until - from;
    if (!isPaused(monitor)) monitor.expectedAt = Math.max(monitor.expectedAt, due.until);
  }
  monitor.pauses = withLongerPause(monitor.pauses, due.until);
}

/** A run has passed its deadline. It becomes `unfinished`, or `unknown` if a gap may have swallowed its end (R26). */
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
  openOrContinueIncident(draft, trouble, at);
}

function closeSlot(draft: Draft, due: Due & { what: "slot" }, gaps: readonly Gap[]): void {
  const { monitor } = draft;
  const { slot, doubts } = due;
  if (isExcused(monitor, doubts)) return excuse(draft, due, doubts.at(-1)!, gaps);
  monitor.excusedBy = null;
  const gap = gapsTouching(gaps, silenceBefore(monitor, slot)).at(-1) ?? null;
  const trouble = { cause: "missed", message: null, runId: null, run: null, slot, gap } as const;
  countTrouble(draft, trouble);
  openOrContinueIncident(draft, trouble, monitor.changedAt);
  monitor.expectedAt = monitor.incident === null ? expectedSlotAfter(monitor, slot) : slot;
}

/**
 * Makes slots and runs unknown that closed by `at` and are not judged yet, because a gap leaves them in doubt (R26).
 * Called just before a pause begins: nothing is judged in a pause, so they would be forgotten.
 */
export function judgeWaiting(draft: Draft, at: Instant): void {
  const { monitor, gaps } = draft;
  if (gaps.length === 0 || isPaused(monitor)) return;
  for (const run of monitor.runs) if (isOpen(run) && run.deadline <= at) overrun(draft, run, gaps);
  const due = slotDue(monitor, gaps);
  if (due?.what !== "slot" || closeOf(monitor.watch, due.slot) > at) return;
  if (isExcused(monitor, due.doubts)) excuse(draft, { ...due, at }, due.doubts.at(-1)!, gaps);
}

/**
 * Skips the slots that have closed by `at` and are not judged yet. Called after a report by which slots may count as
 * closed that did not before: the late end of a run that seemed to cover them, or a report that shortens the grace.
 * None of them counts as missed; the next slot decides (R12, R43). Returns whether it skipped one.
 */
export function passOver({ monitor, gaps }: Draft, at: Instant): boolean {
  const due = isPaused(monitor) ? null : slotDue(monitor, gaps);
  if (due === null || due.at > at) return false;
  monitor.expectedAt = expectedSlotAfter(monitor, at - closingDelay(monitor.watch));
  return true;
}

/**
 * Whether the gaps in `doubts`, which touch a silent slot, excuse this slot. If a gap has excused the slot before and
 * no report has come since, no later gap excuses this slot: only that same gap may (R26).
 */
const isExcused = ({ excusedBy }: Monitor, doubts: readonly Gap[]): boolean =>
  doubts.length > 0 && (excusedBy === null || doubts[0]!.from <= excusedBy);

/** Makes all slots unknown that have closed by now and that this gap excuses. Moves `expectedAt` past them. */
function excuse({ monitor, unknowns }: Draft, due: Due & { what: "slot" }, gap: Gap, gaps: readonly Gap[]): void {
  const { watch } = monitor;
  const nextGap = gaps.find(({ from, excuses }) => from > gap.to && excuses !== "nothing");
  const judged = Math.min(due.at, nextGap === undefined ? due.at : nextGap.from - 1);
  // While slots are excused in a row, `excusedBy` stays the end of the first gap. If it moved on, short gaps, one after
  // another, would excuse every slot.
  monitor.excusedBy ??= gap.to;
  monitor.unheard = true;
  const last = Math.max(due.slot, judged - closingDelay(watch));
  const slots = countExpectedSlots(monitor, due.slot - 1, last);
  const next = expectedSlotAfter(monitor, last);
  // The lost report may have begun the interval again, at the end of the gap at the latest. So the next slot is one
  // interval after the gap (R44).
  monitor.expectedAt = intervalOfRhythm(watch) === null ? next : firstSlot(watch, gap.to);
  const { incident } = monitor;
  if (incident !== null) monitor.incident = { ...incident, unheardSlots: incident.unheardSlots + slots };
  unknowns.push({ at: monitor.changedAt, slot: due.slot, slots, run: null, gap });
}

/**
 * Tells a reminder. It is skipped when it came due in a gap, or when `reminders.max` are sent already, for example
 * because a person has lowered that number (R23).
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

/** Ends one kind of pause. If no other kind is left, the monitor is watched again from `at` (R24). */
export function endPause(draft: Draft, kind: PauseKind, at: Instant): void {
  const { monitor } = draft;
  monitor.pauses = { ...monitor.pauses, [kind]: kind === "manual" ? null : false };
  if (!isPaused(monitor)) watchAgain(monitor, at);
  const { pendingFail } = monitor;
  if (kind !== "manual" || pendingFail === null) return;
  monitor.pendingFail = null;
  // A person may have closed the incident during the pause. But this fail was never told, so at least this one failure
  // counts.
  monitor.failures = Math.max(1, monitor.failures);
  openOrContinueIncident(draft, { cause: "failed", ...pendingFail, run: null, slot: null }, at);
}

function watchAgain(monitor: Draft["monitor"], at: Instant): void {
  const { incident, watch } = monitor;
  monitor.excusedBy = null;
  // A maintenance puts the slot of an interval off to the end of the maintenance or later. An interval's slot at this
  // very instant has not passed, so it stays.
  const isPassed = monitor.expectedAt !== null && monitor.expectedAt <= at - (intervalOfRhythm(watch) === null ? 0 : 1);
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
 * When the earliest slot or run begins that is still to be judged; a gap before it can be forgotten (R26). `null` when
 * there is none. An open run under a pause is left out once its deadline has passed.
 */
export function undecidedSince(monitor: Monitor, now: Instant): Instant | null {
  const paused = isPaused(monitor);
  const due = paused ? null : slotDue(monitor, []);
  let since = due?.what === "slot" ? windowOfSlot(monitor, due.slot).from : Number.POSITIVE_INFINITY;
  for (const run of monitor.runs) {
    if (isOpen(run) && (!paused || run.deadline > now)) since = Math.min(since, run.startedAt);
  }
  return since === Number.POSITIVE_INFINITY ? null : since;
}
