// Finds the span for which an alert names gaps: when the missing report could have been lost (R26). Pure.

import { silenceBefore } from "../monitor/doubt.ts";
import type { Monitor } from "../monitor/monitor.ts";
import type { Span } from "../monitor/window.ts";
import { intervalOf } from "../schedule/rhythm.ts";
import type { Alert } from "./alert.ts";

/**
 * The span in which the missing report may have come; `null` when the alert names no gap. `monitor` is as it was before
 * the alert. An interval may be longer than a gap stays undecided, so the alert of an interval may also name gaps that
 * were decided already, which `transition` did not get (R44).
 */
export function silenceOf(monitor: Monitor, { reason, cause, incident, run, gap, watch }: Alert): Span | null {
  if (reason !== "opened" && reason !== "new_cause") return null;
  if (cause === "missed" && incident.expectedAt !== null && (gap !== null || intervalOf(watch) !== null))
    return silenceBefore({ ...monitor, watch }, incident.expectedAt);
  if (cause !== "unfinished" || gap === null || run?.startedAt == null || run.deadline === null) return null;
  return { from: run.startedAt, to: run.deadline };
}
