// Decides what a start means: which run it opens or repeats, and when that run must have ended (R21, R22). Pure.

import { LATE_COPY_SPAN, RUN_SPAN_MAX } from "../limits.ts";
import { intervalOf, type Rhythm } from "../schedule/rhythm.ts";
import { slotsAround } from "../schedule/slots.ts";
import { type Instant, SECOND } from "../time.ts";
import { slotReached } from "./draft.ts";
import type { Monitor, Watch } from "./monitor.ts";
import { incompleteRun, isOpen, type OpenRun, type Run, type RunMark, runNamed, startedRun } from "./run.ts";
import type { UsualRun } from "./unusual.ts";

type Starting = Pick<Monitor, "watch" | "runs" | "runCount" | "lastRunMs">;

export interface Started {
  /** The run that the start belongs to, after the start. */
  readonly run: Run;
  /** The open run whose id the new run has taken over (R22); `null` when there is none. */
  readonly replaced: Run | null;
}

/**
 * A start opens a run or a new attempt of a finished one, or turns out to be the late start of a run that has ended
 * (R22). For an open run it is a repeat, unless a further slot has come due: then it opens a new run under that id.
 * Otherwise a caller that gives every run the same id would never learn that one was killed.
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
 * Whether a later slot has come due than the one the run began for. With an interval: whether a whole interval has
 * passed.
 */
function isForLaterSlot(watch: Watch, { startedAt }: Pick<OpenRun, "startedAt">, at: Instant): boolean {
  const interval = intervalOf(watch);
  if (interval !== null) return at - startedAt >= interval;
  const slot = slotReached(watch, at);
  return slot !== null && slot > (slotReached(watch, startedAt) ?? slot);
}

/**
 * Whether a start is a delayed copy (R22): it comes within a minute after a success of its run and has no higher
 * attempt. After a fail it is a retry. A start for a slot that came due since is not a copy, because some callers give
 * every run the same id.
 */
function isLateCopy(watch: Watch, { startedAt, endedAt, endedBy, attempt }: Run, mark: RunMark, at: Instant): boolean {
  if (startedAt === null || endedAt === null || endedBy === "fail") return false;
  if (at - endedAt > LATE_COPY_SPAN || (mark.attempt ?? 0) > (attempt ?? 0)) return false;
  const slot = slotReached(watch, at);
  return (
    (slot === null && intervalOf(watch) === null) ||
    (slot !== null && slot <= endedAt) ||
    !isForLaterSlot(watch, { startedAt }, at)
  );
}

type RunLimits = Rhythm & Pick<Watch, "graceSeconds" | "maxRuntimeSeconds">;

/**
 * The instant by which a run that starts now must have ended (R21): `maxRuntime` after its start. Without one it is the
 * distance between the slots around it, or the interval, plus the grace (24 h without a schedule), but at least twice
 * the length of the last finished run. Neither exceeds 24 h plus the grace.
 */
export function runDeadline(watch: RunLimits, startedAt: Instant, lastRunMs: number | null): Instant {
  if (watch.maxRuntimeSeconds !== null) return startedAt + watch.maxRuntimeSeconds * SECOND;
  const most = RUN_SPAN_MAX + watch.graceSeconds * SECOND;
  return startedAt + Math.max(usualSpan(watch, startedAt), Math.min(2 * (lastRunMs ?? 0), most));
}

/** How long a run that starts at `at` may usually take, in milliseconds: to the next scheduled run, plus the grace. */
export function usualSpan(watch: Rhythm & Pick<Watch, "graceSeconds">, at: Instant): number {
  const interval = intervalOf(watch);
  if (interval !== null) return Math.min(interval, RUN_SPAN_MAX) + watch.graceSeconds * SECOND;
  if (watch.schedule === null) return RUN_SPAN_MAX;
  const { before, after } = slotsAround(watch.schedule, watch.timezone, at);
  const distance = before === null || after === null ? RUN_SPAN_MAX : after - before;
  return Math.min(distance, RUN_SPAN_MAX) + watch.graceSeconds * SECOND;
}
