// Holds all monitors in memory while people look at a page. Each refresh reads only what has changed since the last.

import { type InPieces, piecesOf, sortedInPieces } from "../domain/in-pieces.ts";
import { isOverdue, type Status, statusOf } from "../domain/monitor/monitor.ts";
import { type RunWeek, type UsualLength, usualLength } from "../domain/monitor/run-lengths.ts";
import { type DueFacts, dueTimesOf } from "../domain/monitor/window.ts";
import { nearestTierValue, type Policy } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { ChangeFeed, Changes } from "./changes.ts";
import { policyOfOutline } from "./completed-monitors.ts";
import { eachMonitorPage, monitorSummary, PAGE } from "./monitor-summaries.ts";
import { type RecentRun, recentRuns } from "./recent-runs.ts";
import type { MonitorSummary } from "./schemas/monitor-schemas.ts";
import type { MonitorReads } from "./view-source.ts";

export interface BoardMonitor extends MonitorSummary {
  readonly id: number;
  /** The registry that declared the monitor last; `null` when none did. */
  readonly source: string | null;
  /** The monitor's owner, as messages name it; `null` when none is set. */
  readonly owner: string | null;
  readonly environment: string | null;
  /** True when a person has acknowledged the monitor's open incident. */
  readonly takenOn: boolean;
  /** How long the monitor's runs usually take; `null` when that is not known. */
  readonly length: UsualLength | null;
}

export type Board = ReturnType<typeof createBoard>;

const LOOKED_AT_ONCE = 500;

interface BoardEntry {
  /**
   * The monitor as it was last read from the database. Only `status`, `lateSince` and `nextAt` may be newer: they are
   * from when the monitor was last shown.
   */
  monitor: BoardMonitor;
  /**
   * The monitor's status before its slot `expectedAt` has passed (`early`), and after that (`overdue`). Time alone
   * changes the status only at that instant.
   */
  readonly early: Status;
  readonly overdue: Status;
  /** The facts from which `lateSince` and `nextAt` are found, because time alone changes these. */
  readonly due: DueFacts;
  readonly lastPingId: number | null;
}

export function createBoard(context: MonitorReads, changes: Changes) {
  const kept = createKept(context);
  let feed: ChangeFeed | null = null;
  /**
   * The configuration under which all monitors were read; `null` while not all are read. When another configuration is
   * in force, all monitors are read again.
   */
  let readUnder: Policy | null = null;

  function* catchUp(): Generator<void, void, void> {
    feed ??= changes.subscribe(() => {});
    const ids = feed.take();
    const { policy } = context;
    if (readUnder === policy && ids !== "too_many") {
      for (let place = 0; place < ids.length; place += PAGE) {
        if (place > 0) yield;
        kept.refresh(ids.slice(place, place + PAGE));
      }
      return;
    }
    readUnder = null;
    kept.clear();
    yield* eachMonitorPage(context.store, null, (listed) => kept.refresh(listed.map(({ id }) => id)));
    readUnder = policy;
  }

  return {
    /**
     * Reads what has changed since the last call. Each step of the generator reads one piece. The board must not be
     * used before the last step. Throws what SQLite throws.
     */
    catchUp,
    /**
     * The monitors that `isWanted` accepts, as they are when the call begins, sorted by name. An unchanged monitor is
     * the same object as in the call before.
     */
    monitors: kept.monitors,
    /** The last runs of each of these monitors, the oldest first, by the monitor's id. */
    recentRuns: kept.recentRuns,
    /** Frees the memory until the board is used again. */
    forget: () => {
      feed?.end();
      feed = null;
      readUnder = null;
      kept.clear();
    },
  };
}

const NAMES = new Intl.Collator("en", { numeric: true });

const byName = ({ monitor: a }: BoardEntry, { monitor: b }: BoardEntry): number =>
  NAMES.compare(a.name, b.name) || a.id - b.id;

/**
 * Makes the part that keeps what was read of each monitor, until the monitor is read again or everything is cleared.
 */
function createKept(context: MonitorReads) {
  const { store } = context;
  const entries = new Map<number, BoardEntry>();
  /**
   * The ids of the monitors sorted by name; `null` when they must be sorted again. Most changes leave the order as it
   * is.
   */
  let order: readonly number[] | null = null;
  /**
   * Grows when a monitor's name changes, or a monitor comes or goes. If it grows during a sort in pieces, the order
   * that the sort finds is not kept.
   */
  let names = 0;
  const runs = new Map<number, readonly RecentRun[]>();

  function refresh(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const outlines = new Map(store.monitorPages.outlines(ids).map((outline) => [outline.id, outline]));
    const lengths = store.runLengths.of(ids);
    for (const id of ids) {
      runs.delete(id);
      const outline = outlines.get(id);
      const isShown = outline?.readable && outline.deletedAt === null;
      const entry = isShown ? entryOf(context.policy, outline, lengths.get(id) ?? []) : undefined;
      if (entries.get(id)?.monitor.name !== entry?.monitor.name) disorder();
      if (entry !== undefined) entries.set(id, entry);
      else entries.delete(id);
    }
  }

  function disorder(): void {
    order = null;
    names++;
  }

  function* inOrder(): InPieces<readonly BoardEntry[]> {
    if (order !== null) return order.map((id) => entries.get(id)!);
    const before = names;
    const sorted = yield* sortedInPieces([...entries.values()], byName);
    if (names === before) order = sorted.map(({ monitor }) => monitor.id);
    return sorted;
  }

  function* monitors(now: Instant, isWanted: (monitor: BoardMonitor) => boolean): InPieces<readonly BoardMonitor[]> {
    const all: BoardMonitor[] = [];
    for (const piece of piecesOf(yield* inOrder(), LOOKED_AT_ONCE)) {
      for (const entry of piece) {
        const monitor = monitorAt(entry, now);
        if (isWanted(monitor)) all.push(monitor);
      }
      yield;
    }
    return all;
  }

  function runsOf(ids: readonly number[]): ReadonlyMap<number, readonly RecentRun[]> {
    const unread = ids.flatMap((id) => {
      const entry = runs.has(id) ? undefined : entries.get(id);
      return entry === undefined ? [] : [{ id, lastPingId: entry.lastPingId }];
    });
    if (unread.length > 0) for (const [id, found] of recentRuns(store, unread)) runs.set(id, found);
    return runs;
  }

  return {
    refresh,
    monitors,
    recentRuns: runsOf,
    clear: () => {
      disorder();
      entries.clear();
      runs.clear();
    },
  };
}

function entryOf(policy: Policy, outline: MonitorOutline, weeks: readonly RunWeek[]): BoardEntry {
  const rules = policyOfOutline(policy, outline);
  const early = statusOf(outline, Number.NEGATIVE_INFINITY);
  const monitor = {
    ...monitorSummary(policy, outline, Number.NEGATIVE_INFINITY),
    id: outline.id,
    source: outline.source,
    takenOn: outline.takenOn,
    owner: nearestTierValue(rules, "owner") ?? null,
    environment: nearestTierValue(rules, "environment") ?? null,
    length: usualLength(weeks),
  };
  const overdue = statusOf(outline, Number.POSITIVE_INFINITY);
  return { monitor, early, overdue, due: outline, lastPingId: outline.lastPingId };
}

function monitorAt(entry: BoardEntry, now: Instant): BoardMonitor {
  const status = isOverdue(entry.monitor, now) ? entry.overdue : entry.early;
  const { lateSince, nextAt } = entry.monitor;
  // Time alone changes `lateSince` and `nextAt` only when the slot `nextAt` has passed.
  const hasPassed = nextAt !== null && nextAt < now;
  if (status === entry.monitor.status && !hasPassed) return entry.monitor;
  const due = hasPassed ? dueTimesOf(entry.due, now) : { lateSince, nextAt };
  entry.monitor = { ...entry.monitor, ...due, status };
  return entry.monitor;
}
