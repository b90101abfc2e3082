// Laws of runs: which run a report belongs to, how long it may take, how long it took, how many are watched. Each takes
// a timeline and throws where it does not hold.

import { isPaused, type Monitor } from "../../../src/domain/monitor/monitor.ts";
import { isOpen, matteringRuns, type Run } from "../../../src/domain/monitor/run.ts";
import { type Signal, transition } from "../../../src/domain/monitor/transition.ts";
import { slotsAround } from "../../../src/domain/schedule/slots.ts";
import type { Instant } from "../../../src/domain/time.ts";
import { gapsOnRun, isEnd, isSuccess, manualEnd, must, slotOfStart } from "../timelines/facts.ts";
import { type Moment, play, type Timeline, watched } from "../timelines/timeline.ts";

const SEVEN_DAYS = 7 * 86_400_000;
const WATCHED_MAX = 100;

/** R22: null or at least 0, from the last start that this very run had, never null when it had one before its end. */
export function durations(timeline: Timeline): void {
  const starts = new Map<number, Instant>();
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    if (signal.kind === "rebase") return;
    if (signal.kind === "start" && after.run!.startedAt === at) starts.set(after.run!.number, at);
    for (const run of after.run === null ? [] : [after.run]) {
      // A start that only comes again may do so at the very instant of the first one and of its end.
      if (signal.kind === "start" && before.runs.some((was) => Bun.deepEquals(was, run))) continue;
      const { startedAt, endedAt, durationSeconds } = run;
      must(startedAt === (starts.get(run.number) ?? null), "the start is another run's", moment);
      if (isEnd(signal)) must(endedAt === at && run.endedBy === signal.kind, "the end is not this one", moment);
      const expected =
        startedAt === null || endedAt === null || (signal.kind === "start" && endedAt <= startedAt)
          ? null
          : Math.floor((endedAt - startedAt) / 1000);
      must(durationSeconds === expected && (expected ?? 0) >= 0, `the duration is not ${expected} seconds`, moment);
    }
  }
}

/** R22: by run_id, seven days back; else of the runs without id the newest start, or with an id the only open one. */
export function pairing(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    if (!isEnd(signal)) continue;
    const partner = partnerOf(before.runs, signal, at);
    const alone = signal.runId === null ? null : before.runCount + 1;
    must((after.run?.number ?? null) === (partner?.number ?? alone), "the end belongs to another run", moment);
    if (partner === null || after.run === null) continue;
    const named = signal.runId !== null && partner.runId === signal.runId;
    must(after.run.legacy === (partner.legacy || !named), "the pairing is labelled otherwise", moment);
    must(after.run.state === "ended" && after.run.runId === partner.runId, "the run is not ended", moment);
    const repeated = named && partner.endedAt !== null;
    const lastRunMs = partner.startedAt === null || repeated ? before.lastRunMs : Math.max(0, at - partner.startedAt);
    must(after.monitor.lastRunMs === lastRunMs, "another run is remembered as the last", moment);
  }
}

function partnerOf(runs: readonly Run[], signal: Signal & { kind: "heartbeat" | "complete" | "fail" }, at: Instant) {
  const named = newest(remembered(runs, at).filter(({ runId }) => runId !== null && runId === signal.runId));
  if (named !== null && named.startedAt !== null) return named;
  const withoutId = runs.filter(({ runId }) => runId === null);
  const open = withoutId.filter(isOpen);
  const last = newest(withoutId);
  const recent = last !== null && remembered([last], at).length === 1;
  const only = open.length === 1 ? open[0]! : null;
  const guess = signal.runId !== null ? only : recent && last.endedAt === null ? last : newest(open);
  if (guess !== null || named !== null) return guess ?? named;
  return signal.kind === "complete" && open.length === 0 && recent && last.endedBy === "heartbeat" ? last : null;
}

const newest = (runs: readonly Run[]): Run | null => runs.toSorted((a, b) => b.number - a.number)[0] ?? null;

const remembered = (runs: readonly Run[], at: Instant): readonly Run[] =>
  runs.filter((run) => isOpen(run) || at - (run.endedAt ?? run.startedAt!) <= SEVEN_DAYS);

/** R21, R22: what a start does to the runs, and the deadline it fixes. */
export function starting(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    if (signal.kind !== "start") continue;
    const { runId } = signal;
    const known = newest(remembered(before.runs, at).filter((run) => runId !== null && run.runId === runId));
    const run = after.run!;
    const replaces = known !== null && isOpen(known) && isForFurtherSlot(before, known.startedAt, at);
    const itsOwn = known !== null && !replaces;
    must(run.number === (itsOwn ? known.number : before.runCount + 1), "the start belongs to another run", moment);
    if (itsOwn && (isOpen(known) || isCopy(before, known, signal, at))) {
      must(Bun.deepEquals(after.monitor.runs, before.runs), "a start that came again changed its run", moment);
      continue;
    }
    if (replaces) {
      const left = after.monitor.runs.find(({ number }) => number === known.number);
      must(left?.state === "incomplete", "a run goes on under an id that another has taken over", moment);
    }
    must(run.startedAt === at, "the start is not kept", moment);
    if (itsOwn && known.startedAt === null) {
      must(run.state === "ended" && run.endedAt === known.endedAt, "a late start opened its run again", moment);
      continue;
    }
    must(isOpen(run) && run.endedAt === null, "the run is not open", moment);
    must(run.deadline === deadlineOf(before, at), "the deadline is another", moment);
  }
}

/** R22: it reaches a slot beyond all that the run's own start and `since` had reached. */
function isForFurtherSlot({ watch }: Monitor, startedAt: Instant, at: Instant, since = startedAt): boolean {
  // R44: another run is due a whole interval after this one began.
  if (watch.everySeconds !== null) return at >= startedAt + watch.everySeconds * 1000;
  const slot = slotOfStart(watch, at);
  return slot !== null && slot > slotOfStart(watch, startedAt)! && slot > since;
}

/** R22: within 60 s after a success of its run, without a higher attempt; but not for a slot that came due since. */
function isCopy(before: Monitor, run: Run, { attempt }: Signal & { kind: "start" }, at: Instant): boolean {
  const { startedAt, endedAt, endedBy } = run;
  if (startedAt === null || endedAt === null || endedBy === "fail" || at - endedAt > 60_000) return false;
  const higher = attempt !== null && attempt > (run.attempt ?? 0);
  return !higher && !isForFurtherSlot(before, startedAt, at, endedAt);
}

/** R21: without `maxRuntime` a success gives up older open runs, silently; with it, and by anything else, none. */
export function outlived(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { signal, at, before, after } = moment;
    const { runs, watch } = after.monitor;
    const beganAt = after.run?.startedAt ?? (signal.kind === "heartbeat" ? at : Number.NEGATIVE_INFINITY);
    const expected =
      isSuccess(moment) && watch.maxRuntimeSeconds === null
        ? before.runs.filter((run) => isOpen(run) && run.number !== after.run?.number && run.startedAt < beganAt)
        : [];
    must(Bun.deepEquals(after.outlived, expected), "a success gives up other runs", moment);
    for (const { number } of expected) {
      const left = runs.find((run) => run.number === number);
      must(left?.state === "incomplete" && left.endedAt === null, "a run that was given up is not incomplete", moment);
    }
  }
}

function deadlineOf({ watch, lastRunMs }: Monitor, at: Instant): Instant {
  const { schedule, everySeconds, timezone, maxRuntimeSeconds, graceSeconds } = watch;
  if (maxRuntimeSeconds !== null) return at + maxRuntimeSeconds * 1000;
  const twiceTheLast = Math.min(2 * (lastRunMs ?? 0), 86_400_000 + graceSeconds * 1000);
  if (everySeconds !== null)
    return at + Math.max(Math.min(everySeconds, 86_400) * 1000 + graceSeconds * 1000, twiceTheLast);
  if (schedule === null) return at + Math.max(86_400_000, twiceTheLast);
  const { before, after } = slotsAround(schedule, timezone, at);
  return at + Math.max(Math.min(after! - before!, 86_400_000) + graceSeconds * 1000, twiceTheLast);
}

/** R21: an open run is told at its deadline, not before and not after, unless paused or in doubt. */
export function unfinishedAtItsDeadline(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { before, after, gaps } = moment;
    // Another run's end changes how long one lasts, and so when the end was likely.
    const known = { lastRunMs: after.monitor.lastRunMs };
    const isAnew = known.lastRunMs !== before.lastRunMs;
    for (const { cause, reason, at, run } of after.alerts) {
      if (cause !== "unfinished" || (reason !== "opened" && reason !== "new_cause")) continue;
      const late = isAnew && run !== null && at === moment.at && gapsOnRun(before, timesOf(run), gaps).length > 0;
      must(
        run !== null && (at === run.deadline || late),
        "a run is unfinished at another time than its deadline",
        moment,
      );
      const open = before.runs.find(({ number }) => number === run.number);
      must(
        open !== undefined && isOpen(open) && gapsOnRun(known, open, gaps).length === 0,
        "that run was not open",
        moment,
      );
    }
    for (const run of after.monitor.runs) {
      const was = before.runs.find(({ number }) => number === run.number);
      if (was === undefined || !isOpen(was) || isOpen(run) || run.state === "ended" || run.state === "incomplete")
        continue;
      must(
        (run.state === "unknown") === gapsOnRun(known, was, gaps).length > 0,
        "a run in doubt is told, or not",
        moment,
      );
    }
  }
}

const timesOf = ({ startedAt, deadline }: Run) => ({ startedAt: startedAt!, deadline: deadline! });

/** R21: at most 100 are watched; beyond that the oldest become incomplete. */
export function watchedAtMost({ moments }: Timeline): void {
  for (const moment of moments) {
    const { signal, before, after } = moment;
    const open = after.monitor.runs.filter(isOpen);
    must(open.length <= WATCHED_MAX, "too many runs are watched", moment);
    const dropped = after.monitor.runs.filter(
      ({ number, state, runId }) =>
        state === "incomplete" &&
        (before.runs.find((run) => run.number === number)?.state ?? "open") === "open" &&
        (runId === null || runId !== after.run?.runId),
    );
    // Those that a success has outlived have a law of their own.
    if (dropped.length === 0 || after.outlived.length > 0) continue;
    const paused = before.pauses.manual !== null || signal.kind === "pause" || signal.kind === "resume";
    if (paused || manualEnd(moment) !== null) continue;
    must(signal.kind === "start" && open.length === WATCHED_MAX, "a run became incomplete", moment);
    const oldest = Math.min(...open.map(({ startedAt }) => startedAt));
    must(
      dropped.every((run) => run.startedAt! <= oldest),
      "not the oldest run became incomplete",
      moment,
    );
  }
}

/**
 * R22: the runs that matter and the one that is named are all that a decision needs; the rest may stay in the store.
 */
export function mattering({ moments }: Timeline): void {
  const stored = new Map<number, { run: Run; matters: boolean }>();
  for (const moment of moments) {
    const { signal, now, before, after, gaps } = moment;
    if (signal.kind === "rebase") return;
    const runs = loaded(stored, "runId" in signal ? signal.runId : null);
    const partial = transition({ ...before, runs }, signal, now, gaps);
    must(Bun.deepEquals(withoutRuns(partial), withoutRuns(after), true), "the decision is another", moment);
    const marks = matteringRuns(partial.monitor.runs, partial.monitor.changedAt);
    for (const run of partial.monitor.runs) stored.set(run.number, { run, matters: marks.has(run.number) });
    const all = [...stored.values()].map(({ run }) => run);
    must(Bun.deepEquals(all.toSorted(byNumber), after.monitor.runs.toSorted(byNumber), true), "a run differs", moment);
  }
}

const byNumber = (a: Run, b: Run): number => a.number - b.number;

const withoutRuns = ({ monitor, ...rest }: Moment["after"]) => ({ ...rest, monitor: { ...monitor, runs: [] } });

function loaded(stored: ReadonlyMap<number, { run: Run; matters: boolean }>, runId: string | null): Run[] {
  const all = [...stored.values()];
  const named = newest(all.map(({ run }) => run).filter((run) => runId !== null && run.runId === runId));
  return all
    .filter(({ run, matters }) => matters || run === named)
    .map(({ run }) => run)
    .toSorted(byNumber);
}

/** R21: noted when due, once, before the deadline, but not in an incident, a pause, or where a gap hides its end. */
export function slow(timeline: Timeline): void {
  for (const moment of watched(timeline).moments) {
    const { at, before, after, gaps, signal } = moment;
    if (signal.kind === "rebase") return;
    const { incident, runs } = after.monitor;
    for (const run of runs.filter(isOpen)) {
      const known = before.runs.find(({ number, startedAt }) => number === run.number && startedAt === run.startedAt);
      const was = known?.usual?.isTold === true;
      must(run.usual?.isTold === true || !was, "what was noted of a run is forgotten", moment);
      if (run.usual === null) continue;
      const dueAt = run.startedAt + run.usual.longestMs + 1000;
      const isDue = dueAt <= at && dueAt < run.deadline;
      if (!run.usual.isTold) {
        must(!isDue || incident !== null || isPaused(after.monitor), "a slow run is passed over", moment);
        continue;
      }
      if (was) continue;
      must(isDue && (at === dueAt || before.incident !== null || known === undefined), "it is noted too late", moment);
      must(incident === null && !isPaused(before), "it is noted where people look anyway, or want quiet", moment);
      const long = gaps.find(({ from, to }) => to - from > 60_000 && from <= at && to >= run.startedAt);
      must(long === undefined, "its end may have come in a gap", moment);
    }
  }
}

/** R21: the same steps, where nothing is usual. */
export function usualDecidesNothing(timeline: Timeline): void {
  // What is due sets the newest instant that is believed, which counts once the clock steps back.
  const steps = timeline.moments;
  if (steps.some(({ now, signal }, n) => signal.kind === "rebase" || now < (steps[n - 1]?.now ?? now))) return;
  const plain = play(
    timeline,
    steps.map((step) => (step.signal.kind === "start" ? { ...step, signal: { ...step.signal, usual: null } } : step)),
  );
  for (const [n, moment] of steps.entries()) {
    const [with_, without] = [moment.after, plain.moments[n]!.after].map(({ alerts, unknowns, monitor }) => ({
      alerts,
      unknowns: unknowns.map((unknown) => ({ ...unknown, run: unknown.run?.number })),
      monitor: { ...monitor, changedAt: 0, runs: monitor.runs.map((run) => ({ ...run, usual: null })) },
    }));
    const told = (side: typeof with_) => side!.alerts.map((alert) => ({ ...alert, run: alert.run?.number }));
    must(
      Bun.deepEquals({ ...with_, alerts: told(with_) }, { ...without, alerts: told(without) }),
      "it differs",
      moment,
    );
  }
}
