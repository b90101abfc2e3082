// Laws of pauses and gaps: what stays quiet, what still speaks, and what is in doubt because we could not hear. Each
// takes a timeline and throws where it does not hold.

import { type Gap, isPaused } from "../../../src/domain/monitor/monitor.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import type { Instant } from "../../../src/domain/time.ts";
import {
  cameBack,
  gapsOnRun,
  gapsOnSlot,
  isEnd,
  isManual,
  isReport,
  isWatchedAgain,
  judged,
  manualEnd,
  must,
  onlyCounts,
  slotAfter,
  slotJudged,
  windowsIn,
} from "../timelines/facts.ts";
import { type Moment, type Timeline, watched } from "../timelines/timeline.ts";

/**
 * R24: under a pause time only begins maintenance, and reports open nothing but an explicit fail that nobody silenced.
 */
export function quiet(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    if (!isPaused(before)) continue;
    if (signal.kind === "wake" && manualEnd(moment) === null) {
      must(after.alerts.length === 0 && after.unknowns.length === 0, "something is told under a pause", moment);
      const begins = windowsIn(before.watch, before.changedAt, at).length > 0;
      const { changedAt, pauses, expectedAt, carried } = begins ? after.monitor : before;
      const same = Bun.deepEquals(after.monitor, { ...before, changedAt, pauses, expectedAt, carried }, true);
      must(same, "something happens under a pause", moment);
    }
    for (const { kind, cause, reason, at: toldAt } of after.alerts) {
      if (isWatchedAgain(moment, toldAt)) continue;
      const speaks =
        kind === "Recovered" || kind === "Acknowledged" || (cause === "failed" && !reason.endsWith("reminder"));
      must(speaks, "a pause lets something through", moment);
    }
  }
}

/**
 * R24: a pause ends at its stated instant: the first unfilled slot after it is expected, runs that fell due are over.
 */
export function pauseEnds(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, before, after } = moment;
    if (!isPaused(before) || isPaused(after.monitor) || signal.kind === "rebase") continue;
    const until = before.pauses.manual?.until ?? null;
    const end = signal.kind === "wake" && until !== null ? Math.max(until, before.changedAt) : moment.at;
    if (signal.kind === "wake" && moment.at !== end) continue;
    const { monitor } = after;
    const filled = before.expectedAt !== null && before.expectedAt > end;
    const expected = filled || before.expectedAt === null ? before.expectedAt : slotAfter(monitor.watch, end);
    must(monitor.expectedAt === expected, "another slot is expected after the pause", moment);
    for (const run of before.runs.filter(isOpen)) {
      const { state } = monitor.runs.find(({ number }) => number === run.number)!;
      must(
        state === (run.deadline <= end ? "incomplete" : "open"),
        "a run did not survive the pause as it must",
        moment,
      );
    }
    const { incident } = monitor;
    must(incident === null || (incident.remindAt ?? end + 1) > end, "a reminder is made up after the pause", moment);
  }
}

/**
 * R24: the fail that was the last end under a manual pause is told when that pause ends, and not before, with its own
 * time. Withdrawing and deleting forget it (R25).
 */
export function pendingFail(timeline: Timeline): void {
  let pending: Instant | null = null;
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    const end = manualEnd(moment);
    if (signal.kind === "rebase" && pending !== null) pending = cameBack(pending, moment.now, signal.backMs);
    if (end !== null) {
      const told = after.alerts.filter(({ cause }) => cause === "failed");
      const { incident } = before;
      const tolerated = incident === null && Math.max(1, before.failures) < before.watch.alertAfterFailures;
      const due = pending !== null && !tolerated && !incident?.causes.includes("failed");
      const stamps = told
        .filter(({ reason }) => reason === "opened" || reason === "new_cause")
        .map(({ at, incident: { failedAt, heardAt } }) => [at, failedAt, heardAt]);
      must(
        Bun.deepEquals(stamps, due ? [[end, Math.min(pending!, at), Math.min(pending!, at)]] : []),
        "a fail under the pause is not told as it must",
        moment,
      );
    }
    if (end !== null || !isManual(after.monitor)) pending = null;
    else if (isEnd(signal)) pending = signal.kind === "fail" ? at : null;
    else if (signal.kind === "withdraw" && !before.pauses.discovery) pending = null;
    else if (signal.kind === "delete") pending = null;
  }
}

/**
 * R26: a slot that a gap touches is excused, once: it is missed only when an earlier gap has excused the one before,
 * and nothing has come since. The gap that excused the first slot excuses those that follow in a row.
 */
export function excusedOnce(timeline: Timeline): void {
  let excusedBy: Gap | null = null;
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after, gaps } = moment;
    const judging = { ...before, watch: after.monitor.watch };
    const newWatch = signal.kind === "declare";
    if (after.unknowns.length > 0 && after.monitor.misses > before.misses) {
      // A miss that was tolerated and a slot that is excused at the same instant: the miss has begun again.
      excusedBy = after.monitor.excusedBy === null ? null : after.unknowns.at(-1)!.gap;
      continue;
    }
    let last = Number.NEGATIVE_INFINITY;
    for (const { slot, gap, at: told } of after.unknowns) {
      if (gap === null || slot === null) continue;
      // One look may find that a pause came and went between two slots: after it they begin anew.
      if (after.pauseChanges.some(({ paused, at }) => !paused && last < at && at <= told)) excusedBy = null;
      last = told;
      const doubts = gapsOnSlot(judging, slot, gaps);
      must(doubts.at(-1) === gap, "that gap does not touch the slot", moment);
      const isInTime = newWatch ? told === at : told === slotJudged(before, slot, gaps);
      must(isInTime || isJudgedByPause(after, told), "it is judged too early or late", moment);
      must(excusedBy === null || doubts[0]!.from <= excusedBy.to, "slots are excused by one gap after another", moment);
      excusedBy ??= gap;
    }
    for (const { cause, reason, incident } of after.alerts) {
      if (cause !== "missed" || (reason !== "opened" && reason !== "new_cause")) continue;
      const doubts = gapsOnSlot(judging, incident.expectedAt!, gaps);
      const excused = doubts.length > 0 && (excusedBy === null || doubts[0]!.from <= excusedBy.to);
      must(!excused, "a slot is missed on account of a gap", moment);
    }
    if (beginsAnew(moment)) excusedBy = null;
  }
}

/**
 * Something has come, or slots before this no longer count; that the schedule changed says nothing of the job (R12).
 */
function beginsAnew(moment: Moment): boolean {
  const { signal, before, after } = moment;
  const { discovery, plan } = after.monitor.pauses;
  // A pause whose end has passed already ends at once, and one look may find that a pause came and went.
  const pauseEnded =
    ((isPaused(before) || signal.kind === "pause") && !isPaused(after.monitor)) ||
    (manualEnd(moment) !== null && !discovery && !plan);
  const missed = after.monitor.misses > before.misses;
  return isReport(moment) || signal.kind === "rebase" || pauseEnded || missed;
}

/** What waits for its judgement is judged at once when a pause begins (R24). */
const isJudgedByPause = ({ pauseChanges }: Moment["after"], told: Instant): boolean =>
  pauseChanges.some(({ paused, at }) => paused && at === told);

/**
 * R26: a run is in doubt when a gap touches it from its start to its deadline, and judged when clients had time to
 * retry.
 */
export function doubtfulRuns(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { before, after, gaps } = moment;
    for (const { run, at } of after.unknowns) {
      if (run === null) continue;
      const open = before.runs.find(({ number }) => number === run.number);
      must(open !== undefined && isOpen(open) && run.state === "unknown", "that run was not open", moment);
      const doubts = gapsOnRun(before, open, gaps);
      const isInTime = at === judged(open.deadline, doubts) || (open.deadline <= at && isJudgedByPause(after, at));
      must(doubts.length > 0 && isInTime, "a run is judged too early or late", moment);
    }
  }
}

/** R26: a refused report fills slots, names those it filled, and does nothing else. */
export function rateLimitedReports(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    if (signal.kind !== "refused") continue;
    const { expectedAt, carried, changedAt, excusedBy, unheard, incident, ...rest } = after.monitor;
    const {
      expectedAt: was,
      changedAt: _,
      excusedBy: __,
      unheard: ___,
      carried: ____,
      incident: open,
      ...same
    } = before;
    must(Bun.deepEquals(rest, same, true), "a refused report changed more than slots", moment);
    must(incident?.number === open?.number && after.alerts.length === 0, "a refused report speaks", moment);
    const filled = firstStillOpen(moment, was);
    const named = after.unknowns.map(({ slot }) => slot);
    must(Bun.deepEquals(named, filled === null ? [] : [filled]), "it names other slots than it filled", moment);
    must(
      after.unknowns.every((unknown) => unknown.at === at && unknown.gap === null),
      "it is another's",
      moment,
    );
  }
}

/** The first slot a refused report fills: slots that closed after a miss was told were missed, not filled. */
function firstStillOpen({ at, before, after }: Moment, expectedAt: Instant | null): Instant | null {
  const { watch } = before;
  if (expectedAt === null) return null;
  const closing = watch.graceSeconds * 1000 + 5000;
  const lost = onlyCounts(before) && expectedAt + closing <= at;
  // Slots of an older schedule that are still open come first (R12).
  const open = before.carried.find((slot) => slot > at - closing) ?? slotAfter(watch, at - closing);
  const first = lost ? open : expectedAt;
  // Before its slot is due, a refused report only moves that of an interval (R44).
  if (watch.everySeconds !== null && first !== null && first > at) return null;
  return first !== null && after.monitor.expectedAt! > first ? first : null;
}
