// The times when we could not hear that an alert names (R26): which they are, and how its data list them. Pure.

import { silenceBefore } from "../monitor/doubt.ts";
import type { FoundGap, GapReason } from "../monitor/gap.ts";
import type { Cause } from "../monitor/incident.ts";
import type { Gap, Monitor, Watch } from "../monitor/monitor.ts";
import type { Run } from "../monitor/run.ts";
import type { Span } from "../monitor/window.ts";
import { intervalOf } from "../schedule/rhythm.ts";
import { type Instant, toIso } from "../time.ts";

export interface AlertGap {
  readonly from: string;
  readonly to: string;
  readonly reason: GapReason;
  /** How many outages; each may have ended before the next began. */
  readonly times: number;
}

/** The newest; most alerts have one, if any. */
const LISTED = 20;

export const listedGaps = (gaps: readonly FoundGap[]): AlertGap[] =>
  gaps.slice(-LISTED).map(({ from, silentTo, reason, outages }) => ({
    from: toIso(from),
    to: toIso(silentTo),
    reason,
    times: outages,
  }));

interface Raised {
  readonly reason: string;
  readonly cause: Cause;
  readonly incident: { readonly expectedAt: Instant | null };
  readonly run: Run | null;
  readonly gap: Gap | null;
  readonly watch: Watch;
}

/**
 * When the report may have come for want of which the alert was raised; null: it names no gap. `monitor`: as it was
 * before. An interval may be longer than any gap stays undecided, so its alert may name gaps that the core does not
 * know (R44).
 */
export function silenceOf(monitor: Monitor, { reason, cause, incident, run, gap, watch }: Raised): Span | null {
  if (reason !== "opened" && reason !== "new_cause") return null;
  if (cause === "missed" && incident.expectedAt !== null && (gap !== null || intervalOf(watch) !== null))
    return silenceBefore({ ...monitor, watch }, incident.expectedAt);
  if (cause !== "unfinished" || gap === null || run?.startedAt == null || run.deadline === null) return null;
  return { from: run.startedAt, to: run.deadline };
}
