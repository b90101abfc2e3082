// A late report: it was sent when it could be, some time after it happened. What it fills, which run is its run, and
// what newer reports have decided already. Pure. A report that is heard in time is the case in which nothing is newer.

import { AGE_STEP, DURATION_SECONDS_MAX, LATE_END_WITHIN, TRANSIT } from "../limits.ts";
import { countRhythmSlots, intervalOf } from "../schedule/rhythm.ts";
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

/** What a report of a job says about its own time. Both absent: it is heard as it happens, and measured by us. */
export interface OwnTime {
  readonly ageSeconds?: number | null;
  /** How long the run took, as its client measured it; only of an end. */
  readonly durationSeconds?: number | null;
}

/** When a report came and when it happened: the same instant unless it is late. */
export type HeardReport = Readonly<{ at: Instant; happenedAt: Instant }>;

export const heard = ({ ageSeconds }: OwnTime, at: Instant): HeardReport => ({
  at,
  happenedAt: at - (ageSeconds ?? 0) * SECOND,
});

export const isLateReport = ({ ageSeconds }: { readonly ageSeconds: number | null }): boolean => (ageSeconds ?? 0) > 0;

export const isLate = ({ at, happenedAt }: HeardReport): boolean => happenedAt < at;

/** Whether it is as new as `other`. Ages are whole seconds: of two of one second the later to come is newer. */
export const reaches = ({ happenedAt }: HeardReport, other: Instant | null): boolean =>
  other === null || happenedAt + AGE_STEP >= other;

export const isNewestEnd = ({ succeededAt, failedAt }: Monitor, when: HeardReport): boolean =>
  reaches(when, succeededAt) && reaches(when, failedAt);

/** Fills what its time fills, and nothing that has been filled since. Returns how many slots after it have passed. */
export function fillLate(draft: Draft, { at, happenedAt }: HeardReport, mayBeEarly: boolean): number {
  const { monitor, gaps } = draft;
  const { schedule, timezone } = monitor.watch;
  const interval = intervalOf(monitor.watch);
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
    monitor.incident = heardAfterAll(monitor, monitor.incident, reached, gaps);
  const { expectedAt } = monitor.incident;
  if (later > 0 && expectedAt !== null && expectedAt <= reached)
    monitor.incident = { ...monitor.incident, expectedAt: expectedSlotAfter(monitor, reached) };
  return later;
}

/**
 * Slots that closed under a run inside its deadline, or that its end filled, were not missed (R21): we counted them
 * because its start or its end came late. `run` has both by now; `before`: as it stood without the one that comes now.
 */
export function coverLate(draft: Draft, run: Run, before: Run, when: HeardReport): void {
  const { incident, watch, lastRunMs } = draft.monitor;
  const { startedAt, endedAt } = run;
  if (incident?.missedTo == null || startedAt === null || endedAt === null) return;
  const delay = closingDelay(watch);
  const guess = runDeadline(watch, startedAt, lastRunMs);
  const until = Math.min(run.deadline ?? guess, guess) - 1;
  const begins = slotReached(watch, startedAt) ?? startedAt - delay;
  // The end begins an interval again, and that heals what had not closed when it came.
  const filled = intervalOf(watch) === null ? endedAt : endedAt - delay - 1;
  // Nothing is counted under an open run, so what was counted since it began was counted before its start came.
  const isNews = isOpen(before) || (isLate(when) && (before.state === "incomplete" || before === run));
  const wasMissPending = isNews && incident.missedTo > startedAt;
  if (wasMissPending && endedAt <= until) return notMissed(draft, begins, filled);
  if (wasMissPending) notMissed(draft, begins, until - delay);
  if (isLate(when)) notMissed(draft, Math.max(begins, Math.max(endedAt - 1, until) - delay), filled);
}

/** Slots of (after, until], as far as they were counted as missed, were not. */
function notMissed({ monitor, gaps }: Draft, after: Instant, until: Instant): void {
  const { createdAt, succeededAt } = monitor;
  const incident = monitor.incident!;
  const last = intervalOf(monitor.watch) === null ? (succeededAt ?? createdAt) : lastCountingEnd(monitor);
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
 * The interval counts from a late end as it would have if we had heard it (R44). Slots that we counted as missed after
 * it were none, and those that have closed since it was are. Where a pause, a window or a gap has put off the slot, it
 * stays so.
 */
function restartInterval(draft: Draft, interval: number, when: HeardReport): number {
  const { monitor } = draft;
  const { watch, expectedAt, incident } = monitor;
  if (expectedAt === null) return 0;
  const lastEnd = lastCountingEnd(monitor);
  const closed = Math.min(expectedAt - 1, when.at - closingDelay(watch));
  const laterThan = (end: Instant): number => Math.max(0, Math.floor((closed - end) / interval));
  if (!reaches(when, lastEnd)) return laterThan(when.happenedAt);
  // Ages are whole seconds: the same end, heard twice, seems to have happened at two instants.
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
 * The newest end that an interval can count from. The deadline of a run that did not end is none, although it failed
 * then: older ends may be on their way to us (R21, R44).
 */
function lastCountingEnd(monitor: Monitor): Instant {
  const { watch, createdAt, succeededAt, expectedAt } = monitor;
  const last = lastEndAt(monitor);
  const before = succeededAt ?? createdAt;
  const counts = (end: Instant): boolean => ((expectedAt ?? end) - end) % (intervalOf(watch) ?? 1) === 0;
  return counts(before) && !counts(last) ? before : last;
}

/** The incident has counted the slot, which closed since the last success, and no report that we heard lies in it. */
function isCounted(monitor: Monitor, incident: Incident, slot: Instant, at: Instant): boolean {
  const { watch, createdAt, succeededAt, receivedAt } = monitor;
  if (slot + closingDelay(watch) >= at || slot > (incident.missedTo ?? slot)) return false;
  if (slot <= Math.max(createdAt, succeededAt ?? createdAt, incident.lateTo ?? createdAt)) return false;
  return receivedAt === null || slotReached(watch, receivedAt) !== slot;
}

/** The incident with a slot more that was heard late, and one less that was missed, or unheard in a gap. */
function heardAfterAll(monitor: Monitor, incident: Incident, slot: Instant, gaps: readonly Gap[]): Incident {
  const { missedSlots, unheardSlots, lateSlots } = incident;
  const late = { lateSlots: lateSlots + 1, lateTo: slot };
  // The slot whose miss was told counted as missed, whatever touched it.
  const wasNotified = lateSlots === 0 && incident.expectedAt === slot;
  const isUnheard = !wasNotified && doubtsOnSlot(monitor, slot, gaps).length > 0;
  if (unheardSlots > 0 && isUnheard) return { ...incident, ...late, unheardSlots: unheardSlots - 1 };
  return missedSlots > 0 ? { ...incident, ...late, missedSlots: missedSlots - 1 } : incident;
}

/**
 * The run that an end belongs to as it stands then, and as it stood before; null: none. A run that began after it
 * happened is not its run, and an end that is newer stands.
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
  // Under an id that a newer run has taken over, it would be found in that run's place.
  if (mark.runId === null || (begun !== runs && runNamed(runs, mark.runId, at) !== null)) return null;
  return {
    run: measured(endWithoutStart(runCount + 1, mark, kind, happenedAt), mark, at),
    before: null,
    guessed: false,
  };
}

/** It had begun by then. Of those that are over we know only the newest of each id. */
const mayEndAt = (runs: readonly Run[], run: Run, at: Instant): boolean =>
  (run.startedAt ?? at) <= at + TRANSIT &&
  (isOpen(run) || !runs.some(({ runId, number }) => runId === run.runId && number > run.number));

/** The client's own measure is the better one: on its way to us a report may take seconds. */
function measured(run: Run, mark: OwnTime, at: Instant): Run {
  const durationSeconds = plausibleDuration(mark, run.startedAt, at);
  return durationSeconds === null ? run : { ...run, durationSeconds };
}

/** The client's measure of a run whose end came at `at`; null: it says nothing, or more than can have passed. */
export function plausibleDuration({ durationSeconds }: OwnTime, startedAt: Instant | null, at: Instant): number | null {
  const most = startedAt === null ? DURATION_SECONDS_MAX : (Math.max(0, at - startedAt) + TRANSIT) / SECOND;
  return durationSeconds != null && durationSeconds <= most ? durationSeconds : null;
}

/**
 * The run of a start that is older than a report that we have heard; null: none. It opens nothing: what has come since
 * says more. Without a run_id its end could not be told from a newer run's.
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

/** When the start of a run must have been heard that was given time for its end; null: it has no start. */
export const timeGivenAt = ({ startedAt, deadline }: Run): Instant | null =>
  startedAt === null || deadline === null ? null : deadline - LATE_END_WITHIN;

/** A run that we learn of late is not judged at once: its end may be on its way too. */
export const givenTime = (run: Run, { at, happenedAt }: HeardReport): Run =>
  isOpen(run) && run.startedAt === happenedAt && happenedAt < at
    ? { ...run, deadline: Math.max(run.deadline, at + LATE_END_WITHIN) }
    : run;
