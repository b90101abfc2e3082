// Applies a report, also a late one: to the slots that it fills, to its run and to the incident. Pure.

import { intervalOfRhythm } from "../schedule/rhythm.ts";
import { slotsAround } from "../schedule/slots.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";
import { gapsTouching, successAfterSlot } from "./doubt.ts";
import type { Draft, Trouble } from "./draft.ts";
import { closeIncident, countTrouble, fillSlots, giveUpOlderRuns, keepRun, openOrContinueIncident } from "./draft.ts";
import { failedLater } from "./incident.ts";
import {
  coverLate,
  endHeard,
  fillLate,
  givenTime,
  type HeardReport,
  isAsNewAs,
  isLate,
  isNewestEnd,
  type OwnTime,
  pastStart,
  plausibleDuration,
  whenHeard,
} from "./late.ts";
import { countExpectedSlots, expectedSlotAfter, isPaused, type Monitor, type Watch } from "./monitor.ts";
import type { Checks } from "./reported-outcomes.ts";
import { type EndKind, type EndVerdict, type Run, type RunMark, withinOpenLimit } from "./run.ts";
import { startedBy } from "./run-start.ts";
import type { UsualRun } from "./unusual.ts";
import { earlyTolerance, windowOfSlot } from "./window.ts";
import { driftAfter } from "./zone-hint.ts";

export type EndSignal = { readonly kind: "heartbeat" | "complete"; readonly checks: Checks } & RunMark & OwnTime;
/** `usual` is how long the job's runs usually take, set only if people want to hear of a run that takes longer. */
export type StartSignal = { readonly kind: "start"; readonly usual?: UsualRun | null } & RunMark & OwnTime;
export type FailSignal = { readonly kind: "fail"; readonly message: string | null } & RunMark & OwnTime;

/** Applies a heartbeat or a complete. It is a success unless its outcomes are wrong (R23, R27). */
export function applyEndReport(draft: Draft, signal: EndSignal, at: Instant): void {
  const { monitor } = draft;
  const { checks } = signal;
  const when = heardIn(draft, signal, at);
  const isNewest = isNewestEnd(monitor, when);
  const received = receiveEnd(draft, signal, signal.kind, when, checks.verdict);
  if (isNewest) {
    monitor.pendingFail = null;
    monitor.warned = checks.verdict === "warned";
  }
  if (checks.verdict !== "failed") return succeed(draft, signal.kind, when, received);
  if (!isAsNewAs(when, monitor.succeededAt)) return;
  const trouble = {
    cause: "outcome",
    message: checks.message,
    outcomes: checks.outcomes,
    runId: signal.runId,
    run: draft.run,
    slot: null,
    ...failedThen(when),
  } as const;
  monitor.failedAt = Math.max(monitor.failedAt ?? when.happenedAt, when.happenedAt);
  countTrouble(draft, trouble);
  if (!isPaused(monitor)) openOrContinueIncident(draft, trouble, at);
}

/**
 * Applies a success. It closes the incident, with two exceptions: a run that began later has failed (R23), or the
 * success came late and the job has failed or missed a slot since.
 */
function succeed(
  draft: Draft,
  kind: "heartbeat" | "complete",
  when: HeardReport,
  { before, isNewest, later }: Received,
): void {
  const { monitor } = draft;
  const { failedAt } = monitor;
  const { happenedAt } = when;
  giveUpOlderRuns(draft, kind, happenedAt);
  if (isAsNewAs(when, monitor.succeededAt)) {
    monitor.lastSuccess = successAfterSlot(monitor, happenedAt, draft.run?.startedAt ?? null);
    monitor.succeededAt = Math.max(monitor.succeededAt ?? happenedAt, happenedAt);
  }
  const outlivesFailures = isAsNewAs(when, failedAt) || isOverdueRun(before, failedAt);
  // The incident has no missed slot left: late reports have filled every slot that was counted as missed.
  const noneMissed = monitor.incident?.missedSlots === 0;
  const outlivesMisses = noneMissed || (isNewest && later === 0);
  monitor.misses = noneMissed ? 0 : Math.min(monitor.misses, later);
  if (outlivesFailures) monitor.failures = 0;
  if (!outlivesFailures || failedLater(monitor.incident, draft.run)) return;
  if (outlivesMisses) closeIncident(draft, "success", when.at);
  else if (isLate(when)) dropUnfinishedCause(draft, when.at);
}

/** Whether the newest trouble of the monitor is that this run passed its deadline. */
const isOverdueRun = (before: Run | null, failedAt: Instant | null): boolean =>
  before !== null && before.state === "unfinished" && (before.deadline ?? 0) >= (failedAt ?? 0);

/**
 * A late report has shown that the run had ended, so the incident loses the cause "unfinished". Slots that closed
 * meanwhile were counted and not told, because the run might still report. They are told as a miss now (R23).
 */
function dropUnfinishedCause(draft: Draft, at: Instant): void {
  const { monitor, run, gaps } = draft;
  const { incident } = monitor;
  if (incident === null || !incident.causes.includes("unfinished") || isPaused(monitor)) return;
  const [first, ...others] = incident.causes.filter((cause) => cause !== "unfinished");
  if (incident.missedSlots === 0 || incident.causes.includes("missed")) {
    if (first !== undefined) monitor.incident = { ...incident, causes: [first, ...others] };
    return;
  }
  const endedAt = run?.endedAt ?? at;
  const slot = expectedSlotAfter(monitor, Math.max(endedAt, incident.lateTo ?? endedAt));
  const gap = slot === null ? null : (gapsTouching(gaps, windowOfSlot(monitor, slot)).at(-1) ?? null);
  const noRun = { message: null, runId: null, run: null };
  const trouble = { cause: "missed", insteadOf: "unfinished", ...noRun, slot, gap } as const;
  countTrouble(draft, trouble);
  openOrContinueIncident(draft, trouble, at);
}

/**
 * Applies a fail. It is told at once, even under a pause; only a manual pause holds the fail back, until that pause
 * ends (R24).
 */
export function applyFailReport(draft: Draft, signal: FailSignal, at: Instant): void {
  const { monitor } = draft;
  const when = heardIn(draft, signal, at);
  const isNewest = isNewestEnd(monitor, when);
  const { failedAt } = monitor;
  const { before } = receiveEnd(draft, signal, "fail", when, null);
  // The job has succeeded since this fail happened, so the fail is not told.
  if (!isAsNewAs(when, monitor.succeededAt)) return;
  if (isNewest) monitor.warned = false;
  const { message, runId } = signal;
  const trouble = { cause: "failed", message, runId, run: draft.run, slot: null, ...failedThen(when) } as const;
  monitor.failedAt = Math.max(monitor.failedAt ?? when.happenedAt, when.happenedAt);
  countTrouble(draft, trouble);
  if (monitor.pauses.manual === null) {
    openOrContinueIncident(draft, trouble, at);
    const wasInTime = isOverdueRun(before, failedAt) && when.happenedAt < (before?.deadline ?? at);
    if (isLate(when) && wasInTime) dropUnfinishedCause(draft, at);
    return;
  }
  if (isNewest) monitor.pendingFail = { message, runId, failedAt: when.happenedAt, heardAt: at };
}

const failedThen = (when: HeardReport): Pick<Trouble, "failedAt" | "heardAt"> =>
  isLate(when) ? { failedAt: when.happenedAt, heardAt: when.at } : {};

function heardIn(draft: Draft, signal: OwnTime, at: Instant): HeardReport {
  const when = whenHeard(signal, at);
  draft.lateFrom = isLate(when) ? when.happenedAt : null;
  return when;
}

interface Received {
  /** The run that the report ended, as it was before; `null` when the report ended no known run. */
  readonly before: Run | null;
  readonly isNewest: boolean;
  /** For a late report, how many slots after the one that it fills are already over; otherwise 0. */
  readonly later: number;
}

/**
 * Applies an end. If its run has no known start, the end may come early and fill the next slot (R20). `checked` is the
 * verdict on its outcomes; `null` for a fail.
 */
function receiveEnd(
  draft: Draft,
  mark: RunMark & OwnTime,
  kind: EndKind,
  when: HeardReport,
  checked: Checks["verdict"] | null,
): Received {
  const { monitor } = draft;
  const isNewest = isNewestEnd(monitor, when);
  const ended = endHeard(monitor, mark, kind, when);
  const before = ended?.before ?? null;
  const startedAt = before?.startedAt ?? null;
  if (ended !== null && before !== null) coverLate(draft, ended.run, before, when);
  const received = receive(draft, when, { isEnd: true, mayBeEarly: startedAt === null }, before);
  draft.measuredSeconds = plausibleDuration(mark, startedAt, when.at);
  draft.verdict = checked === null ? null : verdictOf(checked, before, when);
  if (ended === null) return received;
  // If a newer end of this run is known already, that end and its verdict are kept.
  draft.run = ended.run === before ? before : { ...ended.run, verdict: draft.verdict };
  const repeated = before !== null && before.endedAt !== null && !ended.guessed;
  if (isNewest && !repeated && startedAt !== null) {
    // The deadline that rollcall guesses for the next run allows twice the length of this run. The shorter of two
    // measures of that length counts, because a client that sends milliseconds as seconds must not hide a run that
    // hangs. A start in the future, after a correction of the clock, gives 0.
    const ours = Math.max(0, when.happenedAt - startedAt);
    monitor.lastRunMs = Math.min(ours, (draft.measuredSeconds ?? Number.POSITIVE_INFINITY) * SECOND);
  }
  keepRun(draft, draft.run);
  return received;
}

function verdictOf(checked: Checks["verdict"], before: Run | null, when: HeardReport): EndVerdict | null {
  if (checked === "failed") return "wrong";
  const wasOverdue = before !== null && (before.state === "unfinished" || before.verdict === "overran");
  // This end came late. If it happened before the deadline, the run was in time after all (R43).
  if (wasOverdue && !(isLate(when) && when.happenedAt < (before.deadline ?? when.at))) return "overran";
  return checked === "warned" ? "warned" : null;
}

/**
 * Which slots a report can fill. `isEnd` is false for a start, which fills the slot of a schedule, but not that of an
 * interval. The slot of an interval stays open while the run is within its deadline (R44, R21). `mayBeEarly`: the
 * report may fill the next slot (R20).
 */
type Filling = Readonly<{ isEnd: boolean; mayBeEarly: boolean }>;

function receive(draft: Draft, when: HeardReport, { isEnd, mayBeEarly }: Filling, before: Run | null): Received {
  const { monitor } = draft;
  const { happenedAt } = when;
  const isNewest = isAsNewAs(when, monitor.receivedAt);
  const fills = isEnd || intervalOfRhythm(monitor.watch) === null;
  const later = isLate(when) && fills ? fillLate(draft, when, mayBeEarly) : 0;
  const heardNow = fills && !isLate(when);
  const around = heardNow ? fillSlots(draft, happenedAt, mayBeEarly) : slotsBeside(monitor.watch, happenedAt);
  // Only reports that should come at their slot show by how much a job is off. The end of a run with a known start
  // comes later, by the length of the run (R13).
  if (mayBeEarly && around !== null && isNewest) monitor.drift = driftAfter(monitor, around, happenedAt);
  if (!isNewest) return { before, isNewest, later };
  monitor.receivedAt = Math.max(monitor.receivedAt ?? happenedAt, happenedAt);
  const { incident } = monitor;
  if (incident?.awaitsRun) monitor.incident = { ...incident, awaitsRun: false };
  if (later > 0) return { before, isNewest, later };
  monitor.excusedBy = null;
  monitor.unheard = false;
  return { before, isNewest, later };
}

const slotsBeside = ({ schedule, timezone }: Watch, at: Instant) =>
  schedule === null ? null : slotsAround(schedule, timezone, at);

export function applyStartReport(draft: Draft, mark: Omit<StartSignal, "kind">, at: Instant): void {
  const { monitor } = draft;
  const when = heardIn(draft, mark, at);
  const { isNewest } = receive(draft, when, { isEnd: false, mayBeEarly: true }, null);
  if (!isNewest) {
    draft.run = pastStart(monitor, mark, when);
    if (draft.run === null) return;
    if (!monitor.runs.includes(draft.run)) coverLate(draft, draft.run, draft.run, when);
    keepRun(draft, draft.run);
    return;
  }
  const { run, replaced } = startedBy(monitor, mark, when.happenedAt, mark.usual ?? null);
  draft.run = givenTime(run, when);
  if (replaced !== null) keepRun(draft, replaced);
  keepRun(draft, draft.run);
  monitor.runs = withinOpenLimit(monitor.runs);
}

/**
 * Applies a report that the rate limit refused. Slots that the report would have filled become unknown. But once people
 * were told of a miss, the slots that have closed since then stay counted as missed (R26).
 */
export function refuseReport(draft: Draft, further: boolean, at: Instant): void {
  const { monitor, unknowns } = draft;
  const expected = monitor.expectedAt;
  const before = { ...monitor };
  monitor.excusedBy = null;
  const isInterval = intervalOfRhythm(monitor.watch) !== null;
  // With an interval, a minute's third and later refused reports are mostly not examined (R33), so nobody knows when
  // the last one came. So from the second one on (`further`), the interval counts from the end of that minute.
  fillSlots(draft, isInterval && further ? endOfMinute(at) : at, true);
  // The refused report may have been an end, which begins the interval again. So it is unknown how the job is until its
  // next report (R44).
  if (isInterval && expected !== null && expected > at) {
    monitor.expectedAt = Math.max(expected, monitor.expectedAt ?? expected);
    monitor.unheard = true;
    return;
  }
  if (expected === null || monitor.expectedAt === null || monitor.expectedAt === expected) return;
  monitor.unheard = true;
  const until = isInterval ? at : monitor.expectedAt - 1;
  const slots = countExpectedSlots(before, expected - 1, until);
  unknowns.push({ at, slot: expected, slots, run: null, gap: null });
}

const endOfMinute = (at: Instant): Instant => (Math.floor(at / MINUTE) + 1) * MINUTE;

/**
 * From when on a report fills the expected slot, and a refused report makes it unknown. `null` when no slot is
 * expected.
 */
export function fillableFrom({ expectedAt, watch }: Monitor): Instant | null {
  const { schedule, timezone } = watch;
  if (intervalOfRhythm(watch) !== null) return expectedAt;
  if (expectedAt === null || schedule === null) return null;
  return expectedAt - earlyTolerance(slotsAround(schedule, timezone, expectedAt - 1));
}
