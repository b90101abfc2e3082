// Decides which run a start opens or repeats, and when that run must have ended (R21, R22). Pure.

import { LATE_COPY_SPAN, RUN_SPAN_MAX } from "../limits.ts";
import { intervalOfRhythm, type Rhythm } from "../schedule/rhythm.ts";
import { slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import { slotReached } from "./draft.ts";
import type { Monitor, Watch } from "./monitor.ts";
import { incompleteRun, isOpen, type OpenRun, type Run, type RunMark, runNamed, startedRun } from "./run.ts";
import type { UsualRun } from "./unusual.ts";

type Starting = Pick<Monitor, "watch" | "runs" | "runCount" | "lastRunMs">;

export interface Started {
  readonly run: Run;
  /** The older open run that became `incomplete`, because a new run uses its run_id (R22); `null` without one. */
  readonly replaced: Run | null;
}

/**
 * Finds the run of a start (R22). A start with a new run_id, or without one, opens a run. A start with the run_id of an
 * open run repeats that run's start. But once a later slot has come due, it opens a new run under that run_id. Some
 * jobs use one run_id for all runs, and a killed run must be noticed. A start with the run_id of an ended run is that
 * run's missing start, a delayed copy of its start, or a new attempt.
 */
export function startedBy(monitor: Starting, mark: RunMark, at: Instant, usual: UsualRun | null): Started {
  const { watch, runs, runCount, lastRunMs } = monitor;
  const deadline = runDeadline(watch, at, lastRunMs);
  const opened = (number: number): Run => ({ ...startedRun(number, mark, at, deadline), usual });
  const known = mark.runId === null ? null : runNamed(runs, mark.runId, at);
  if (known === null) return { run: opened(runCount + 1), replaced: null };
  if (isOpen(known)) {
    return isForLaterSlot(watch, known, at)
      ? { run: opened(runCount + 1), replaced: incompleteRun(known) }
      : { run: known, replaced: null };
  }
  if (known.startedAt === null) {
    return { run: { ...known, startedAt: at, attempt: mark.attempt ?? known.attempt }, replaced: null };
  }
  return { run: isLateCopy(watch, known, mark, at) ? known : opened(known.number), replaced: null };
}

/**
 * Whether a start at `at` is for a later slot than one at `startedAt`; with an interval, whether it is at least one
 * interval later.
 */
function isForLaterSlot(watch: Watch, { startedAt }: Pick<OpenRun, "startedAt">, at: Instant): boolean {
  const interval = intervalOfRhythm(watch);
  if (interval !== null) return at - startedAt >= interval;
  const slot = slotReached(watch, at);
  return slot !== null && slot > (slotReached(watch, startedAt) ?? slot);
}

/**
 * Whether a start is a delayed copy of an earlier one (R22): its run succeeded less than a minute ago, and its attempt
 * is no higher. A start for a later slot is no copy, because some jobs use one run_id for all runs.
 */
function isLateCopy(watch: Watch, { startedAt, endedAt, endedBy, attempt }: Run, mark: RunMark, at: Instant): boolean {
  if (startedAt === null || endedAt === null || endedBy === "fail") return false;
  if (at - endedAt > LATE_COPY_SPAN || (mark.attempt ?? 0) > (attempt ?? 0)) return false;
  const slot = slotReached(watch, at);
  return (
    (slot === null && intervalOfRhythm(watch) === null) ||
    (slot !== null && slot <= endedAt) ||
    !isForLaterSlot(watch, { startedAt }, at)
  );
}

type RunLimits = Rhythm & Pick<Watch, "graceSeconds" | "maxRuntimeSeconds">;

/**
 * When a run that starts at `startedAt` must have ended (R21): `maxRuntime` later. Without `maxRuntime` it is a guess:
 * the time between the slots around the start, or the interval, plus the grace; without both, 24 hours. The guess
 * allows at least twice the length of the last run, but never more than 24 hours plus the grace.
 */
export function runDeadline(watch: RunLimits, startedAt: Instant, lastRunMs: number | null): Instant {
  if (watch.maxRuntimeSeconds !== null) return startedAt + watch.maxRuntimeSeconds * SECOND;
  const most = RUN_SPAN_MAX + watch.graceSeconds * SECOND;
  return startedAt + Math.max(usualSpan(watch, startedAt), Math.min(2 * (lastRunMs ?? 0), most));
}

/**
 * The time between the slots around `at`, or the interval, but at most 24 hours; the grace is added. Without a schedule
 * or an interval it is 24 hours, and no grace is added. In milliseconds.
 */
export function usualSpan(watch: Rhythm & Pick<Watch, "graceSeconds">, at: Instant): number {
  const interval = intervalOfRhythm(watch);
  if (interval !== null) return Math.min(interval, RUN_SPAN_MAX) + watch.graceSeconds * SECOND;
  if (watch.schedule === null) return RUN_SPAN_MAX;
  const { before, after } = slotsAround(watch.schedule, watch.timezone, at);
  const distance = before === null || after === null ? RUN_SPAN_MAX : after - before;
  return Math.min(distance, RUN_SPAN_MAX) + watch.graceSeconds * SECOND;
}
