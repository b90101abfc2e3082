// Laws of intervals (R44): what restarts one, when its slot is missed, what puts it off, and what can never silence
// a dead job. Each takes a timeline and throws where it does not hold.

import { isPaused, type Monitor } from "../../../src/domain/monitor/monitor.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { transition } from "../../../src/domain/monitor/transition.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { closeOf, gapsOnRun, isEnd, isSameSchedule, must, onlyCounts, touching } from "../timelines/facts.ts";
import { type Timeline, watched } from "../timelines/timeline.ts";

const lengthOf = ({ watch }: Monitor): number | null =>
  watch.everySeconds === null ? null : watch.everySeconds * 1000;

/**
 * An end restarts the interval, however early; a start leaves it as it is, and what was refused moves it and leaves
 * it unknown.
 */
export function beginning(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    const length = lengthOf(before);
    if (length === null) continue;
    const expected = after.monitor.expectedAt!;
    if (isEnd(signal)) must(expected === at + length, "an end does not restart it", moment);
    if (signal.kind === "start" && !onlyCounts(before)) {
      must(expected === before.expectedAt, "a start moves the slot", moment);
    }
    if (signal.kind !== "refused" || onlyCounts(before)) continue;
    const wasDue = before.expectedAt! <= at;
    // After the second one of a minute the others are not looked at, so each of them counts from its end.
    const from = signal.further ? at - (at % 60_000) + 60_000 : at;
    must(expected === Math.max(from + length, before.expectedAt!), "a refused report moves the slot elsewhere", moment);
    must(after.monitor.unheard, "nothing is unknown after a refused report", moment);
    must(after.unknowns.length === (wasDue ? 1 : 0), "it leaves something else unknown", moment);
  }
}

/** A slot is missed at its close, never sooner than an interval, the grace and 5 s after an end, a pause or a gap. */
export function missedAtItsClose(timeline: Timeline): void {
  let lastSign: Instant = Number.NEGATIVE_INFINITY;
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after, gaps } = moment;
    const { watch } = after.monitor;
    if (signal.kind === "rebase" || !isSameSchedule(watch, before.watch)) lastSign = Number.NEGATIVE_INFINITY;
    for (const alert of after.alerts) {
      const told = alert.cause === "missed" && (alert.reason === "opened" || alert.reason === "new_cause");
      if (!told || watch.everySeconds === null) continue;
      const slot = alert.incident.expectedAt!;
      const length = watch.everySeconds * 1000;
      must(closeOf(watch, slot) <= at, "a slot is missed before its close", moment);
      must(slot >= lastSign + length || signal.kind === "declare", "a slot is missed that was filled", moment);
      const covering = before.runs.some((run) => isOpen(run) && run.deadline > closeOf(watch, slot));
      must(!covering, "a slot is missed under a run inside its deadline", moment);
      // A report in a long gap may have been lost, unless an earlier gap was an excuse already.
      const { excusedBy } = before;
      const near = touching(gaps, closeOf(watch, slot) - 5_000, closeOf(watch, slot)).filter(
        ({ from, to, excuses }) => to - from > 60_000 && excuses === undefined,
      );
      must(
        near.every(({ from }) => excusedBy !== null && from > excusedBy),
        "we were deaf as it closed",
        moment,
      );
    }
    if (isEnd(signal)) lastSign = at;
  }
}

/** Nothing that recurs silences a dead job: left alone, it alarms, whatever windows, gaps and open runs there are. */
export function deadJob({ moments }: Timeline): void {
  for (const [index, moment] of moments.entries()) {
    const { gaps, after } = moment;
    const { monitor } = after;
    const length = lengthOf(monitor);
    const { manual, discovery, plan } = monitor.pauses;
    if (index % 3 !== 0 || length === null || discovery || plan || manual?.until === null) continue;
    const { maintenance, graceSeconds } = monitor.watch;
    // A window forgets a slot that was overdue as it began, as it does with a schedule's: so a longer grace never ends.
    if (monitor.incident !== null || maintenance.length > 1 || (maintenance.length === 1 && graceSeconds > 5_400))
      continue;
    let left = monitor;
    const misses = monitor.watch.alertAfterMisses + 2;
    const longest = Math.max(0, ...monitor.runs.filter(isOpen).map(({ deadline }) => deadline - monitor.changedAt));
    // Windows take up less than half of any time here, and a slot that comes due in one is due as it ends.
    const patience = 4 * (misses * (length + graceSeconds * 1000) + 86_400_000);
    const from = Math.max(monitor.changedAt, manual?.until ?? 0, gaps.at(-1)?.to ?? 0) + longest;
    left = transition(left, { kind: "wake" }, from + patience, gaps).monitor;
    must(left.incident !== null, "a dead job is never told", moment);
  }
}

/**
 * R12: another interval counts from the last end too; if it has passed, the job has a new interval, or until its old
 * slot.
 */
export function changing(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    if (signal.kind !== "declare" || isSameSchedule(before.watch, signal.watch)) continue;
    const length = signal.watch.everySeconds === null ? null : signal.watch.everySeconds * 1000;
    if (length === null || onlyCounts(before) || isPaused(before)) continue;
    const ends = [before.succeededAt, before.failedAt].filter((end) => end !== null);
    const next = Math.max(...(ends.length === 0 ? [before.createdAt] : ends)) + length;
    const { expectedAt, misses, incident } = after.monitor;
    if (misses > before.misses || incident?.number !== before.incident?.number || after.unknowns.length > 0) continue;
    const sooner = Math.min(before.expectedAt ?? Number.POSITIVE_INFINITY, at + length);
    const isOverdue = next <= at && onlyCounts(after.monitor);
    must(isOverdue || expectedAt === (next > at ? next : sooner), "another slot is expected", moment);
  }
}

/** A pause in which the slot fell begins it again as it ends, also under an open incident. */
export function afterPauses({ moments }: Timeline): void {
  for (const moment of moments) {
    const { gaps, after } = moment;
    const length = lengthOf(after.monitor);
    const { changedAt: now, expectedAt, watch } = after.monitor;
    if (length === null || expectedAt === null || isPaused(after.monitor) || watch.maintenance.length > 0) continue;
    const slot = transition(after.monitor, { kind: "pause", pause: "plan" }, now, gaps).monitor.expectedAt!;
    for (const at of [slot + 1, slot + 3 * length + 500]) {
      if (at <= now) continue;
      const paused = transition(after.monitor, { kind: "pause", pause: "plan" }, now, gaps).monitor;
      const looked = transition(paused, { kind: "acknowledge", by: null }, at - 1, gaps).monitor;
      const resumed = transition(looked, { kind: "resume", pause: "plan" }, at, gaps).monitor;
      must(resumed.expectedAt === at + length, "it does not begin again after a pause", moment);
    }
  }
}

/** R26: what a gap excuses is expected again an interval after the gap, because a report may have been lost in it. */
export function excused(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, before, after, gaps } = moment;
    const length = lengthOf(after.monitor);
    const simple = after.monitor.watch.maintenance.length === 0 && after.unknowns.length === 1;
    if (length === null || signal.kind !== "wake" || !simple) continue;
    const [{ slot, gap }] = after.unknowns as [(typeof after.unknowns)[0]];
    if (slot === null || gap === null || after.monitor.misses > before.misses) continue;
    const window = { from: slot - length, to: closeOf(before.watch, slot) };
    must(touching(gaps, window.from, window.to).includes(gap), "that gap does not touch the interval", moment);
    const moved = after.monitor.expectedAt === gap.to + length || isPaused(after.monitor);
    const overrun = before.runs.some((run) => isOpen(run) && gapsOnRun(before, run, gaps).length > 0);
    must(moved || overrun || onlyCounts(after.monitor), "another slot is expected after the gap", moment);
  }
}

/** R26: a miss names the last of the gaps since the last end: a report in any of them may have been lost. */
export function namesItsGap(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { before, after, gaps } = moment;
    for (const { cause, reason, incident, gap, watch } of after.alerts) {
      const told = cause === "missed" && (reason === "opened" || reason === "new_cause");
      if (!told || watch.everySeconds === null) continue;
      const ends = [before.succeededAt, before.failedAt].filter((end) => end !== null);
      const since = ends.length === 0 ? before.createdAt : Math.max(...ends);
      // An unfinished run that is told first is an end, too.
      if (after.monitor.failedAt !== before.failedAt) continue;
      const touched = touching(gaps, since + 1, closeOf(watch, incident.expectedAt!));
      must(gap === (touched.at(-1) ?? null), "it does not name the gap that touches its interval", moment);
    }
  }
}
