// What a start means: which run it opens or repeats, and by when that must have ended (R21, R22). Pure.

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
  /** The run the start belongs to, as it stands afterwards. */
  readonly run: Run;
  /** The open run whose id the new run has taken over (R22); null: none. */
  readonly replaced: Run | null;
}

/**
 * A start opens a run, or a new attempt of a run that is over, or is the late start of a run that ended without one
 * (R22). For an open run it is a repeat. But once a further slot has come due it opens a run of its own under that id:
 * otherwise a caller that gives every run the same id would never hear that one was killed.
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

/** A later slot has come due than the one the run began for; of an interval, when as much has passed since it began. */
function isForLaterSlot(watch: Watch, { startedAt }: Pick<OpenRun, "startedAt">, at: Instant): boolean {
  const interval = intervalOf(watch);
  if (interval !== null) return at - startedAt >= interval;
  const slot = slotReached(watch, at);
  return slot !== null && slot > (slotReached(watch, startedAt) ?? slot);
}

/**
 * Within a minute after a success of its run, without a higher attempt, a start is a delayed copy (R22); after a fail
 * it is a retry. A start for a slot that came due since is not a copy: some callers give every run the same id.
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
 * By when a run that starts now must have ended (R21): `maxRuntime` after it; without one, the distance between the
 * slots around it, or the interval, plus the grace (24 h without a schedule), but at least twice the last finished run.
 * Neither exceeds 24 h plus the grace.
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
