// The time for which an alert names gaps: when we could not hear the report that it misses (R26). Pure.

import { silenceBefore } from "../monitor/doubt.ts";
import type { Monitor } from "../monitor/monitor.ts";
import type { Span } from "../monitor/window.ts";
import { intervalOf } from "../schedule/rhythm.ts";
import type { Alert } from "./alert.ts";

/**
 * When the report may have come for want of which the alert was raised; null: it names no gap. `monitor`: as it was
 * before. An interval may be longer than any gap stays undecided, so its alert may name gaps that the core does not
 * know (R44).
 */
export function silenceOf(monitor: Monitor, { reason, cause, incident, run, gap, watch }: Alert): Span | null {
  if (reason !== "opened" && reason !== "new_cause") return null;
  if (cause === "missed" && incident.expectedAt !== null && (gap !== null || intervalOf(watch) !== null))
    return silenceBefore({ ...monitor, watch }, incident.expectedAt);
  if (cause !== "unfinished" || gap === null || run?.startedAt == null || run.deadline === null) return null;
  return { from: run.startedAt, to: run.deadline };
}
