// How long a run was allowed to take, and why (R21). People change the limit when the job was right and we were wrong.

import type { AlertData } from "../message/alert.ts";
import { usualSpan } from "../monitor/run-start.ts";
import { SECOND } from "../time.ts";
import { exactDuration } from "./spoken-time.ts";

/** One sentence or two; names `max_runtime`. */
export function allowance(data: AlertData): string {
  const { maxRuntimeSeconds, runStartedAt, runDeadline } = data;
  if (maxRuntimeSeconds !== null) return `It may run for ${exactDuration(maxRuntimeSeconds * SECOND)} (max_runtime).`;
  if (runStartedAt === null || runDeadline === null) return "It has no max_runtime, so rollcall set the limit.";
  const startedAt = Date.parse(runStartedAt);
  const allowed = Date.parse(runDeadline) - startedAt;
  return `It has no max_runtime, so rollcall allowed it ${exactDuration(allowed)}: ${reasonFor(data, startedAt, allowed)}.`;
}

/** The limit in force at the start may have changed since; then this claims nothing that may be untrue. */
function reasonFor(
  { schedule, timezone, everySeconds, graceSeconds }: AlertData,
  startedAt: number,
  allowed: number,
): string {
  const usual = usualSpan({ schedule, timezone, everySeconds, graceSeconds }, startedAt);
  if (everySeconds != null) {
    return allowed === usual
      ? "as long as it may be silent, and the grace"
      : "as long as its interval and the run before it suggest";
  }
  if (schedule === null) {
    return allowed === usual ? "the limit of a job without a schedule" : "twice as long as the run before it took";
  }
  return allowed === usual
    ? "the time from one scheduled run to the next, and the grace"
    : "as long as its schedule and the run before it suggest";
}
