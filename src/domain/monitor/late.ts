// Handles late reports, which come some time after the event that they tell of: which slot such a report fills, which
// run it belongs to, and which newer reports prevail over it (R43). Reports in time use the same functions. Pure.

import { AGE_STEP, DURATION_SECONDS_MAX, LATE_END_WITHIN, TRANSIT } from "../limits.ts";
import { countRhythmSlots, intervalOfRhythm } from "../schedule/rhythm.ts";
import { slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import { countDoubtful, doubtsOnSlot } from "./doubt.ts";
import { type Draft, reachesNext, slotReached } from "./draft.ts";
import type { Incident } from "./incident.ts";
import { countExpectedSlots, expectedSlotAfter, type Gap, lastEndAt, type Monitor, slotAfter } from "./monitor.ts";
import type { EndKind, Run, RunMark } from "./run.ts";
import { endedRun, endWithoutStart, incompleteRun, isOpen, runEndedBy, runNamed, startedRun } from "./run.ts";
import { runDeadline } from "./run-start.ts";
import { closingDelay } from "./window.ts";

/**
 * When the event of a report happened, as the report itself says. Without `ageSeconds` it happened just now; without
 * `durationSeconds` rollcall measures how long the run took.
 */
export interface OwnTime {
  readonly ageSeconds?: number | null;
  /** How long the run took, in seconds, as its client measured it. Only the end of a run can have it. */
  readonly durationSeconds?: number | null;
}

/** When rollcall received a report (`at`), and when its event happened. Both are equal unless the report is late. */
export type HeardReport = Readonly<{ at: Instant; happenedAt: Instant }>;

export const whenHeard = ({ ageSeconds }: OwnTime, at: Instant): HeardReport => ({
  at,
  happenedAt: at - (ageSeconds ?? 0) * SECOND,
});

export const isLateReport = ({ ageSeconds }: { readonly ageSeconds: number | null }): boolean => (ageSeconds ?? 0) > 0;

export const isLate = ({ at, happenedAt }: HeardReport): boolean => happenedAt < at;

/**
 * Whether the event of the report is not older than `other`. A late report gives its age in whole seconds
 * (`ageSeconds`). So within one second the report that came later counts as newer.
 */
export const isAsNewAs = ({ happenedAt }: HeardReport, other: Instant | null): boolean =>
  other === null || happenedAt + AGE_STEP >= other;

export const isNewestEnd = ({ succeededAt, failedAt }: Monitor, when: HeardReport): boolean =>
  isAsNewAs(when, succeededAt) && isAsNewAs(when, failedAt);

/**
 * Fills the slot of the late report, unless a newer report has filled it. Returns how many slots after that one are
 * already over.
 */
export function fillLate(draft: Draft, { at, happenedAt }: HeardReport, mayBeEarly: boolean): number {
  const { monitor, gaps } = draft;
  const { schedule, timezone } = monitor.watch;
  const interval = intervalOfRhythm(monitor.watch);
  if (interval !== null) return restartInterval(draft, interval, { at, happenedAt });
  if (schedule === null || monitor.expectedAt === null) return 0;
  const around = slotsAround(schedule, timezone, happenedAt);
  const reached = mayBeEarly && reachesNext(around, happenedAt) ? around.after : around.before;
  if (reached === null) return 0;
  if (monitor.expectedAt <= reached) monitor.expectedAt = expectedSlotAfter(monitor, reached)!;
  const isInTime = mayBeEarly && happenedAt <= reached + closingDelay(monitor.watch);
  const later = countExpectedSlots(monitor, Math.max(reached, monitor.createdAt), monitor.expectedAt - 1);
  if (isInTime) draft.lateSlot = reached;
  if (monitor.incident === null) return later;
  if (isInTime && isCounted(monitor, monitor.incident, reached, at))
    monitor.incident = countedAsLate(monitor, monitor.incident, reached, gaps);
  const { expectedAt } = monitor.incident;
  if (later > 0 && expectedAt !== null && expectedAt <= reached)
    monitor.incident = { ...monitor.incident, expectedAt: expectedSlotAfter(monitor, reached) };
  return later;
}

/**
 * Counts slots as late, and no longer as missed, if they closed while a run was in progress (R21). rollcall may learn
 * of that run only when its start or its end comes late. `run` has a start and an end; `before` is the same run without
 * the report that has just come.
 */
export function coverLate(draft: Draft, run: Run, before: Run, when: HeardReport): void {
  const { incident, watch, lastRunMs } = draft.monitor;
  const { startedAt, endedAt } = run;
  if (incident?.missedTo == null || startedAt === null || endedAt === null) return;
  const delay = closingDelay(watch);
  const guess = runDeadline(watch, startedAt, lastRunMs);
  const until = Math.min(run.deadline ?? guess, guess) - 1;
  const begins = slotReached(watch, startedAt) ?? startedAt - delay;
  // With an interval, the end of the run begins a new interval, and `restartInterval` takes back the slots that had not
  // closed by then. So only slots that had closed before that end are taken back here.
  const filled = intervalOfRhythm(watch) === null ? endedAt : endedAt - delay - 1;
  // A slot that closes while rollcall knows of an open run is not counted as missed. So if a slot after the start of
  // this run was counted, rollcall did not know of that start yet.
  const isNews = isOpen(before) || (isLate(when) && (before.state === "incomplete" || before === run));
  const wasMissPending = isNews && incident.missedTo > startedAt;
  if (wasMissPending && endedAt <= until) return takeBackMissed(draft, begins, filled);
  if (wasMissPending) takeBackMissed(draft, begins, until - delay);
  if (isLate(when)) takeBackMissed(draft, Math.max(begins, Math.max(endedAt - 1, until) - delay), filled);
}

/**
 * Counts slots as late that the incident has counted as missed or unknown: those after `after` and up to `until` (R43).
 */
function takeBackMissed({ monitor, gaps }: Draft, after: Instant, until: Instant): void {
  const { createdAt, succeededAt } = monitor;
  const incident = monitor.incident!;
  const last = intervalOfRhythm(monitor.watch) === null ? (succeededAt ?? createdAt) : lastCountingEnd(monitor);
  const from = Math.max(after, createdAt, last);
  const to = Math.min(until, incident.missedTo ?? until);
  if (to <= from || monitor.expectedAt === null) return;
  const isHealed = incident.lateTo !== null && incident.lateTo > from && incident.lateTo <= to;
  const count = countExpectedSlots(monitor, from, to) - (isHealed ? 1 : 0);
  if (count <= 0) return;
  const unheard = Math.min(incident.unheardSlots, count, countDoubtful(monitor, from, to, gaps));
  const missed = Math.min(incident.missedSlots, count - unheard);
  const isFirst = incident.expectedAt !== null && incident.expectedAt <= to && incident.missedSlots > missed;
  monitor.incident = {
    ...incident,
    missedSlots: incident.missedSlots - missed,
    unheardSlots: incident.unheardSlots - unheard,
    lateSlots: incident.lateSlots + missed + unheard,
    lateTo: Math.max(to, incident.lateTo ?? to),
    expectedAt: isFirst ? expectedSlotAfter(monitor, to) : incident.expectedAt,
  };
}

/**
 * Begins the interval again at a late end, as if rollcall had heard the end in time (R44). Slots that had not closed by
 * that end no longer count as missed. Slots of the new interval that have closed since count as missed instead. If a
 * pause, a maintenance or a gap has put the expected slot off, the slot does not move to an earlier instant. Returns
 * how many slots have closed, counted by the interval from that end.
 */
function restartInterval(draft: Draft, interval: number, when: HeardReport): number {
  const { monitor } = draft;
  const { watch, expectedAt, incident } = monitor;
  if (expectedAt === null) return 0;
  const lastEnd = lastCountingEnd(monitor);
  const closed = Math.min(expectedAt - 1, when.at - closingDelay(watch));
  const laterThan = (end: Instant): number => Math.max(0, Math.floor((closed - end) / interval));
  if (!isAsNewAs(when, lastEnd)) return laterThan(when.happenedAt);
  // A report gives its age in whole seconds. So when a client sends one end twice, the two reports can give slightly
  // different instants. The later instant counts.
  const from = Math.max(when.happenedAt, lastEnd);
  const later = laterThan(from);
  draft.lateSlot = from + interval;
  const filledFrom = Math.max(from - closingDelay(watch) - 1, lastEnd);
  const filled = countRhythmSlots(watch, filledFrom, expectedAt - 1, expectedAt);
  const next = from + (later + 1) * interval;
  const isPutOff = (expectedAt - lastEnd) % interval !== 0;
  if (incident !== null) {
    const healed = Math.min(Math.max(0, filled - later), incident.missedSlots);
    monitor.incident = {
      ...incident,
      missedSlots: incident.missedSlots - healed,
      lateSlots: incident.lateSlots + healed,
      lateTo: healed === 0 ? incident.lateTo : slotAfter(monitor, filledFrom),
      expectedAt: later === 0 || incident.expectedAt === null ? incident.expectedAt : from + interval,
    };
  }
  monitor.expectedAt = isPutOff ? Math.max(expectedAt, next) : next;
  return later;
}

/**
 * The newest end from which the interval counts. When a run did not finish in time, its deadline is stored in
 * `failedAt`. That is no end of a run, so the interval does not count from the deadline (R21, R44).
 */
function lastCountingEnd(monitor: Monitor): Instant {
  const { watch, createdAt, succeededAt, expectedAt } = monitor;
  const last = lastEndAt(monitor);
  const before = succeededAt ?? createdAt;
  const counts = (end: Instant): boolean => ((expectedAt ?? end) - end) % (intervalOfRhythm(watch) ?? 1) === 0;
  return counts(before) && !counts(last) ? before : last;
}

/**
 * Whether the incident has counted this slot as missed or unknown: it closed, it is newer than the last success, and no
 * report has filled it.
 */
function isCounted(monitor: Monitor, incident: Incident, slot: Instant, at: Instant): boolean {
  const { watch, createdAt, succeededAt, receivedAt } = monitor;
  if (slot + closingDelay(watch) >= at || slot > (incident.missedTo ?? slot)) return false;
  if (slot <= Math.max(createdAt, succeededAt ?? createdAt, incident.lateTo ?? createdAt)) return false;
  return receivedAt === null || slotReached(watch, receivedAt) !== slot;
}

/** The incident with this slot counted as late, instead of missed or (if a gap leaves it in doubt) unknown. */
function countedAsLate(monitor: Monitor, incident: Incident, slot: Instant, gaps: readonly Gap[]): Incident {
  const { missedSlots, unheardSlots, lateSlots } = incident;
  const late = { lateSlots: lateSlots + 1, lateTo: slot };
  // If no earlier late report has filled a slot of the incident, its alert named the slot `expectedAt`. That slot is
  // among `missedSlots`, even if a gap lies in its window.
  const wasNotified = lateSlots === 0 && incident.expectedAt === slot;
  const isUnheard = !wasNotified && doubtsOnSlot(monitor, slot, gaps).length > 0;
  if (unheardSlots > 0 && isUnheard) return { ...incident, ...late, unheardSlots: unheardSlots - 1 };
  return missedSlots > 0 ? { ...incident, ...late, missedSlots: missedSlots - 1 } : incident;
}

/**
 * Finds the run that an end belongs to. Returns the run with this end, and `before`, the same run without this end.
 * When no known run fits, the end may become a run of its own; then `before` is `null`. Returns `null` when the end
 * changes nothing. An end never belongs to a run that began after it, and an older end never replaces a newer one.
 */
export function endHeard(
  monitor: Monitor,
  mark: RunMark & OwnTime,
  kind: EndKind,
  when: HeardReport,
): { readonly run: Run; readonly before: Run | null; readonly guessed: boolean } | null {
  const { at, happenedAt } = when;
  const { runs, runCount } = monitor;
  const begun = isLate(when) ? runs.filter((run) => mayEndAt(runs, run, happenedAt)) : runs;
  const found = runEndedBy(begun, mark.runId, kind, at);
  if (found !== null) {
    const { run: before, guessed } = found;
    if (isLate(when) && before.endedAt !== null && before.endedAt > happenedAt)
      return { run: before, before, guessed: false };
    const endedAt = isLate(when) ? Math.max(happenedAt, before.startedAt ?? happenedAt) : happenedAt;
    return { run: measured(endedRun(before, mark, kind, endedAt, guessed), mark, at), before, guessed };
  }
  // A newer run may have the same run_id. If this end were stored as a run too, searches by run_id would find it
  // instead of the newer run.
  if (mark.runId === null || (begun !== runs && runNamed(runs, mark.runId, at) !== null)) return null;
  return {
    run: measured(endWithoutStart(runCount + 1, mark, kind, happenedAt), mark, at),
    before: null,
    guessed: false,
  };
}

/** Whether an end at `at` may belong to the run: the run had begun, and is open or the newest with its run_id. */
const mayEndAt = (runs: readonly Run[], run: Run, at: Instant): boolean =>
  (run.startedAt ?? at) <= at + TRANSIT &&
  (isOpen(run) || !runs.some(({ runId, number }) => runId === run.runId && number > run.number));

/**
 * Returns the run with the length that its client measured, if that is plausible. It is more exact, because a report
 * may be seconds on its way.
 */
function measured(run: Run, mark: OwnTime, at: Instant): Run {
  const durationSeconds = plausibleDuration(mark, run.startedAt, at);
  return durationSeconds === null ? run : { ...run, durationSeconds };
}

/**
 * The length that the client measured, in seconds; `null` without one, or when so much time cannot have passed: it
 * exceeds the time since the start, or seven days if the start is not known.
 */
export function plausibleDuration({ durationSeconds }: OwnTime, startedAt: Instant | null, at: Instant): number | null {
  const most = startedAt === null ? DURATION_SECONDS_MAX : (Math.max(0, at - startedAt) + TRANSIT) / SECOND;
  return durationSeconds != null && durationSeconds <= most ? durationSeconds : null;
}

/**
 * The run of a late start, when a newer report of the monitor is known; `null` when the start adds nothing. A run that
 * only this start tells of becomes `incomplete`, because the newer report says more. Without run_id a start is ignored,
 * because the end of its run could not be told from the end of a newer run.
 */
export function pastStart(monitor: Monitor, mark: RunMark, { at, happenedAt }: HeardReport): Run | null {
  const { watch, runs, runCount, lastRunMs } = monitor;
  if (mark.runId === null) return null;
  const known = runNamed(runs, mark.runId, at);
  if (known === null)
    return incompleteRun(startedRun(runCount + 1, mark, happenedAt, runDeadline(watch, happenedAt, lastRunMs)));
  if (known.startedAt === null) {
    const { endedAt, durationSeconds } = known;
    if (endedAt === null || endedAt + AGE_STEP < happenedAt) return null;
    const startedAt = Math.min(happenedAt, endedAt);
    const length =
      plausibleDuration({ durationSeconds }, startedAt, endedAt) ?? Math.floor((endedAt - startedAt) / SECOND);
    return { ...known, startedAt, attempt: mark.attempt ?? known.attempt, durationSeconds: length };
  }
  return known.startedAt <= happenedAt + TRANSIT ? known : null;
}

/**
 * For a run whose start came late, and whose deadline `givenTime` therefore moved: when rollcall received that start.
 * For any other run the result means nothing, so the caller must check whether a start arrived then. `null` without a
 * start or a deadline.
 */
export const startHeardAtIfLate = ({ startedAt, deadline }: Run): Instant | null =>
  startedAt === null || deadline === null ? null : deadline - LATE_END_WITHIN;

/**
 * Moves the deadline of a run whose start came late to at least five minutes after the start arrived. The client sends
 * stored reports in order, so the end may be about to come.
 */
export const givenTime = (run: Run, { at, happenedAt }: HeardReport): Run =>
  isOpen(run) && run.startedAt === happenedAt && happenedAt < at
    ? { ...run, deadline: Math.max(run.deadline, at + LATE_END_WITHIN) }
    : run;
