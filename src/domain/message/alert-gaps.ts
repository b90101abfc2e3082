// Finds the time whose gaps an alert names: the time in which the missing report could have been lost (R26). Pure.

import { silenceBefore } from "../monitor/doubt.ts";
import type { Monitor } from "../monitor/monitor.ts";
import type { Span } from "../monitor/window.ts";
import { intervalOfRhythm } from "../schedule/rhythm.ts";
import type { Alert } from "./alert.ts";

/**
 * Returns the time in which the missing report should have come; the alert names the gaps in this time. `null` when the
 * alert names no gaps. `monitor` is the state before the alert. An interval may be long, so this time may contain old
 * gaps that `transition` was not given (R44).
 */
export function alertSilence(monitor: Monitor, { reason, cause, incident, run, gap, watch }: Alert): Span | null {
  if (reason !== "opened" && reason !== "new_cause") return null;
  if (cause === "missed" && incident.expectedAt !== null && (gap !== null || intervalOfRhythm(watch) !== null))
    return silenceBefore({ ...monitor, watch }, incident.expectedAt);
  if (cause !== "unfinished" || gap === null || run?.startedAt == null || run.deadline === null) return null;
  return { from: run.startedAt, to: run.deadline };
}
