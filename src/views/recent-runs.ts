// The last runs of many monitors: how each went, and how long it took. Pages draw them as a strip.

import type { Instant } from "../domain/time.ts";
import { isEndResult, type RunResult } from "../domain/wording/results.ts";
import type { ChainedPing } from "../store/recent.ts";
import type { Store } from "../store/store.ts";
import { toldSlot } from "./slot-results.ts";
import { runOf } from "./timeline.ts";

export interface RecentRun {
  /** When the run ended, or began if it did not end; for a slot without a run, when it was expected. */
  readonly at: Instant;
  readonly result: RunResult | "missed";
  /** How long the run took; `null` when it is not known. */
  readonly milliseconds: number | null;
}

/** How many of the newest runs of each monitor are shown. */
export const RUNS_SHOWN = 30;

/**
 * How many reports are read to find `count` runs. Most runs have one or two reports; some more are read, because a run
 * may also have logs.
 */
const pingsFor = (count: number): number => 2 * count + 4;

/**
 * The last runs of each monitor, together with slots that were missed or are unknown, by monitor id. A monitor has at
 * most `count` of them, the oldest first.
 */
export function recentRuns(
  { recent }: Pick<Store, "recent">,
  monitors: readonly Readonly<{ id: number; lastPingId: number | null }>[],
  count = RUNS_SHOWN,
): ReadonlyMap<number, readonly RecentRun[]> {
  const ids = monitors.map(({ id }) => id);
  const found = new Map(ids.map((id) => [id, [] as RecentRun[]]));
  const heads = monitors.flatMap(({ id, lastPingId }) => (lastPingId === null ? [] : [{ id, lastPingId }]));
  const pings = recent.pings(heads, pingsFor(count));
  for (const ping of pings.toReversed()) found.get(ping.monitorId)?.push(...recentRun(ping));
  for (const incident of recent.missed(ids, count)) {
    // `toldSlot` is `null` when the incident stores no missed slot. That is so when it began with a run past its
    // deadline, or when a late report has filled its slot. Then no miss is shown here.
    const at = toldSlot(incident);
    if (at !== null) found.get(incident.monitorId)?.push({ at, result: "missed", milliseconds: null });
  }
  const since = pings.reduce((oldest, { at }) => Math.min(oldest, at), Number.POSITIVE_INFINITY);
  for (const { monitorId, slot } of pings.length > 0 ? recent.unknown(ids, since) : []) {
    if (slot !== null) found.get(monitorId)?.push({ at: slot, result: "unknown", milliseconds: null });
  }
  for (const [id, runs] of found) found.set(id, runs.sort((a, b) => a.at - b.at).slice(-count));
  return found;
}

function recentRun(report: ChainedPing): RecentRun[] {
  const run = runOf(report);
  if (run === null) return [];
  const { from, to, result } = run;
  return [{ at: report.at, result, milliseconds: isEndResult(result) && from !== null ? to - from : null }];
}
