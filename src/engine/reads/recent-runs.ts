// The last runs of many monitors, as a strip shows them: how each went, and how long it took. Changes nothing.

import { isRefusal } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { ChainedPing, ChainHead } from "../../store/recent.ts";
import type { Store } from "../../store/store.ts";
import type { EngineContext } from "../context.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";

export const BECAME = ["well", "failed", "unended", "running", "missed", "unknown"] as const;

export interface RecentRun {
  /** When it ended; of one that did not, when it began; of a slot without a run, when it was expected. */
  readonly at: Instant;
  readonly became: (typeof BECAME)[number];
  /** Null: it is not known. */
  readonly milliseconds: number | null;
}

/** The newest so many runs of each monitor. */
export const RUNS_SHOWN = 30;

/** A run is two reports at most, and few say more than that. */
const pingsFor = (count: number): number => 2 * count + 4;

/** The last `count` runs of one monitor, oldest first; none if there is no such monitor. */
export function lastRuns(context: EngineContext, name: MonitorName, count: number): readonly RecentRun[] {
  const found = findMonitor(context, name);
  if (isRefusal(found)) return [];
  const { id, heads } = found;
  return recentRuns(context.store, [{ id, lastPingId: heads.lastPingId }], count).get(id) ?? [];
}

/** At most `count` of each, oldest first, by monitor. A monitor without reports has its missed slots alone. */
export function recentRuns(
  { recent }: Pick<Store, "recent">,
  monitors: readonly { readonly id: number; readonly lastPingId: number | null }[],
  count = RUNS_SHOWN,
): ReadonlyMap<number, readonly RecentRun[]> {
  const ids = monitors.map(({ id }) => id);
  const found = new Map<number, RecentRun[]>(ids.map((id) => [id, []]));
  const heads = monitors.filter((one): one is ChainHead => one.lastPingId !== null);
  const reachBack = new Map<number, Instant>();
  for (const ping of recent.pings(heads, pingsFor(count))) {
    const run = runOf(ping);
    if (run !== null) found.get(ping.monitorId)?.push(run);
    reachBack.set(ping.monitorId, ping.at);
  }
  for (const { monitorId, expectedAt, openedAt } of recent.missed(ids, count)) {
    found.get(monitorId)?.push({ at: expectedAt ?? openedAt, became: "missed", milliseconds: null });
  }
  const since = Math.min(...reachBack.values());
  for (const { monitorId, at, slot } of Number.isFinite(since) ? recent.unknown(ids, since) : []) {
    if (slot !== null) found.get(monitorId)?.push({ at: slot ?? at, became: "unknown", milliseconds: null });
  }
  for (const [id, runs] of found) found.set(id, runs.sort((a, b) => a.at - b.at).slice(-count));
  return found;
}

/** Null: the report is no end, and its run has one. */
function runOf({ kind, at, state, startedAt, endedAt, durationSeconds }: ChainedPing): RecentRun | null {
  switch (kind) {
    case "log":
      return null;
    case "start":
      return state === null
        ? null
        : {
            at,
            became: state === "open" ? "running" : state === "unknown" ? "unknown" : "unended",
            milliseconds: null,
          };
    case "fail":
    case "heartbeat":
    case "complete": {
      const isEnd = startedAt !== null && endedAt === at;
      const milliseconds = isEnd ? at - startedAt : durationSeconds === null ? null : durationSeconds * 1_000;
      return { at, became: kind === "fail" ? "failed" : "well", milliseconds };
    }
    default:
      return kind satisfies never;
  }
}
