// All monitors at a glance, for views that stay open: kept in memory while somebody looks, so that a look reads only what
// has changed since the last one. Changes nothing.

import { labelOf, monitorPolicy, type Policy } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import type { MonitorOutline } from "../../store/monitor-pages.ts";
import type { Books } from "../monitor-records.ts";
import type { MonitorSummary } from "../operations/answers/monitors.ts";
import type { ChangeFeed, Changes } from "./changes.ts";
import { type InStretches, piecesOf } from "./in-stretches.ts";
import { PAGE, summaryOf, throughPlaced } from "./monitor-pages.ts";
import { type RecentRun, type ReportedRuns, RUNS_SHOWN, recentRuns } from "./recent-runs.ts";

/** A monitor on the board. */
export interface BoardMonitor extends MonitorSummary {
  readonly id: number;
  /** The scheduler's integration that declared it last; null: none did. */
  readonly source: string | null;
  /** As messages say them; null: nobody has said. */
  readonly owner: string | null;
  readonly environment: string | null;
}

export interface Board {
  /** Reads what has changed, a piece in each step. To be run to its end before a look. Throws what SQLite throws. */
  catchUp(): Generator<void, void, void>;
  /** All monitors that can be read, in no order: as they are when it begins. */
  monitors(now: Instant): InStretches<readonly BoardMonitor[]>;
  /** The last runs of these monitors, oldest first, by id. */
  recentRuns(ids: readonly number[]): ReadonlyMap<number, readonly RecentRun[]>;
  /** Rises with every change; to tell whether a view is still true. */
  revision(): number;
  /** Calls back once in a turn after something has changed; answers how to end that. */
  onChange(wake: () => void): () => void;
  /** Frees the memory until the next look. */
  forget(): void;
}

/** Monitors in one stretch of a look at all. */
const LOOKED_AT_ONCE = 500;

export function createBoard(context: Books, changes: Changes): Board {
  const { store } = context;
  const outlines = new Map<number, MonitorOutline>();
  const runs = new Map<number, readonly RecentRun[]>();
  const reported = new Map<number, ReportedRuns>();
  const wakes = new Set<() => void>();
  let feed: ChangeFeed | null = null;
  let isComplete = false;
  let revision = 0;

  function changed(): void {
    revision++;
    for (const wake of wakes) wake();
  }

  function* catchUp(): Generator<void, void, void> {
    feed ??= changes.subscribe(changed);
    const ids = feed?.take() ?? "too_many";
    if (isComplete && ids !== "too_many") {
      for (let place = 0; place < ids.length; place += PAGE) {
        if (place > 0) yield;
        refresh(ids.slice(place, place + PAGE));
      }
      return;
    }
    outlines.clear();
    runs.clear();
    reported.clear();
    yield* throughPlaced(store, null, (listed) => refresh(listed.map(({ id }) => id)));
    isComplete = true;
  }

  function refresh(ids: readonly number[]): void {
    if (ids.length === 0) return;
    for (const id of ids) {
      outlines.delete(id);
      runs.delete(id);
    }
    for (const outline of store.monitorPages.outlines(ids)) {
      if (outline.readable && outline.deletedAt === null) outlines.set(outline.id, outline);
    }
    for (const id of ids) if (!outlines.has(id)) reported.delete(id);
  }

  function* monitors(now: Instant): InStretches<readonly BoardMonitor[]> {
    const all: BoardMonitor[] = [];
    for (const piece of piecesOf([...outlines.values()], LOOKED_AT_ONCE)) {
      for (const outline of piece) all.push(boardMonitorOf(context.policy, outline, now));
      yield;
    }
    return all;
  }

  function runsOf(ids: readonly number[]): ReadonlyMap<number, readonly RecentRun[]> {
    const unread = ids.filter((id) => !runs.has(id)).flatMap((id) => outlines.get(id) ?? []);
    if (unread.length > 0)
      for (const [id, found] of recentRuns(store, unread, RUNS_SHOWN, reported)) runs.set(id, found);
    return runs;
  }

  return {
    catchUp,
    monitors,
    recentRuns: runsOf,
    revision: () => revision,
    onChange: (wake) => {
      wakes.add(wake);
      return () => void wakes.delete(wake);
    },
    forget: () => {
      // What changes from now on is not noted, so nobody may take an earlier look for a present one.
      revision++;
      feed?.end();
      feed = null;
      isComplete = false;
      outlines.clear();
      runs.clear();
      reported.clear();
    },
  };
}

function boardMonitorOf(policy: Policy, outline: MonitorOutline, now: Instant): BoardMonitor {
  const rules = monitorPolicy(policy, outline.application, outline.key);
  return {
    ...summaryOf(policy, outline, now),
    id: outline.id,
    source: outline.source,
    owner: labelOf(rules, "owner") ?? null,
    environment: labelOf(rules, "environment") ?? null,
  };
}
