// A stored report as people see it, with what is known of its run. Changes nothing.

import type { Run } from "../domain/monitor/run.ts";
import { type Instant, wholeSeconds } from "../domain/time.ts";
import type { StoredPing } from "../store/pings.ts";
import type { ShownMonitor } from "./answers/shown-monitor.ts";

/** `run`: the one it belongs to; undefined: none, or that is gone. */
export const shownPing = (
  { at: heardAt, happenedAt, kind, attempt, durationSeconds, message, outcomes }: StoredPing,
  run: Run | undefined,
): ShownMonitor["pings"][number] => ({
  at: happenedAt ?? heardAt,
  heardAt: happenedAt === null ? null : heardAt,
  kind,
  runNumber: run?.number ?? null,
  runId: run?.runId ?? null,
  attempt,
  durationSeconds,
  durationMilliseconds: millisecondsOf(durationSeconds, run, happenedAt ?? heardAt),
  message,
  outcomes: outcomes === null ? null : JSON.parse(outcomes),
});

/** The contract's whole seconds to the millisecond, while the start they were counted from is still the run's. */
function millisecondsOf(seconds: number | null, run: Run | undefined, endedAt: Instant): number | null {
  if (seconds === null || run === undefined || run.startedAt === null) return null;
  return wholeSeconds(run.startedAt, endedAt) === seconds ? Math.max(0, endedAt - run.startedAt) : null;
}
