// The last runs of many monitors, as a strip shows them: how each went, and how long it took. Changes nothing.

import type { Instant } from "../domain/time.ts";
import type { ChainedPing } from "../store/recent.ts";
import type { Store } from "../store/store.ts";
import { namedSlot } from "./slot-outcomes.ts";
import { type RunOutcome, runOf } from "./timeline.ts";

export interface RecentRun {
  /** When it ended; of one that did not, when it began; of a slot without a run, when it was expected. */
  readonly at: Instant;
  readonly outcome: RunOutcome | "missed";
  /** Null: it is not known. */
  readonly milliseconds: number | null;
}

/** The newest so many runs of each monitor. */
export const RUNS_SHOWN = 30;

/** A run is two reports at most, and few say more than that. */
const pingsFor = (count: number): number => 2 * count + 4;

interface ReportingMonitor {
  readonly id: number;
  readonly lastPingId: number | null;
}

/** What the reports of a monitor came to when they were read last: only those that came since must be read again. */
export interface ReportedRuns {
  /** The newest report. */
  readonly lastPingId: number;
  /** When the oldest report that was read came; null: none was. */
  readonly since: Instant | null;
  /** Oldest first. */
  readonly runs: readonly RecentRun[];
}

/**
 * At most `count` of each, oldest first, by monitor. A monitor without reports has its missed slots alone. `reported`:
 * what was read before, by id; it is brought up to date.
 */
export function recentRuns(
  { recent }: Pick<Store, "recent">,
  monitors: readonly ReportingMonitor[],
  count = RUNS_SHOWN,
  reported: Map<number, ReportedRuns> = new Map(),
): ReadonlyMap<number, readonly RecentRun[]> {
  readReports(recent, monitors, count, reported);
  const ids = monitors.map(({ id }) => id);
  const found = new Map(ids.map((id) => [id, [...(reported.get(id)?.runs ?? [])]]));
  for (const incident of recent.missed(ids, count)) {
    // Where an incident began with a failure, which slot was missed after it follows from more than is read here.
    const at = namedSlot(incident);
    if (at !== null) found.get(incident.monitorId)?.push({ at, outcome: "missed", milliseconds: null });
  }
  const since = Math.min(...ids.flatMap((id) => reported.get(id)?.since ?? []));
  for (const { monitorId, at, slot } of Number.isFinite(since) ? recent.unknown(ids, since) : []) {
    if (slot !== null) found.get(monitorId)?.push({ at: slot ?? at, outcome: "unknown", milliseconds: null });
  }
  for (const [id, runs] of found) found.set(id, runs.sort((a, b) => a.at - b.at).slice(-count));
  return found;
}

function readReports(
  recent: Store["recent"],
  monitors: readonly ReportingMonitor[],
  count: number,
  reported: Map<number, ReportedRuns>,
): void {
  const heads = monitors.flatMap(({ id, lastPingId }) => {
    const known = reported.get(id);
    if (lastPingId === null) reported.delete(id);
    if (lastPingId === null || (known?.lastPingId === lastPingId && isSettled(known))) return [];
    return [{ id, lastPingId, after: known !== undefined && isSettled(known) ? known.lastPingId : 0 }];
  });
  const read = Map.groupBy(recent.pings(heads, pingsFor(count)), ({ monitorId }) => monitorId);
  for (const { id, lastPingId, after } of heads) {
    const pings = read.get(id) ?? [];
    const earlier = after === 0 ? undefined : reported.get(id);
    const since = earlier?.since ?? pings.at(-1)?.at ?? null;
    const runs = pings.flatMap((ping) => recentRun(ping) ?? []).reverse();
    reported.set(id, { lastPingId, since, runs: [...(earlier?.runs ?? []), ...runs].slice(-count) });
  }
}

/** Time or a late report may still change what became of a run that has not ended. */
const isSettled = ({ runs }: ReportedRuns): boolean =>
  runs.every(({ outcome }) => outcome === "succeeded" || outcome === "failed");

function recentRun(report: ChainedPing): RecentRun | null {
  const run = runOf(report);
  if (run === null) return null;
  const { from, to, outcome } = run;
  const hasEnded = outcome === "succeeded" || outcome === "failed";
  return { at: report.at, outcome, milliseconds: hasEnded && from !== null ? to - from : null };
}
