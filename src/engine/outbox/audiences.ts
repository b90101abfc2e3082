// Collects for a notice which destination is told of which monitors: how many they are, and which the notice lists. In
// memory it keeps only as many monitors as are listed, however many there are.

import type { ListedMonitor } from "../../domain/message/notice.ts";
import { byIdentity, LISTED_MAX } from "../../domain/message/notice-lists.ts";
import { noticeRoutesOf } from "../../domain/settings/alert-routes.ts";
import type { MonitorPolicy, Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";

export type AudienceMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey">;

export interface Audience<Monitor extends AudienceMonitor> {
  /** The routes by which the notice goes out. Empty when these monitors have no destination: only the log tells. */
  readonly routes: readonly Route[];
  readonly total: number;
  readonly first: number;
  /** The monitors that the notice lists: all, or the first of them by application and key. */
  readonly monitors: readonly Monitor[];
}

export type Audiences<Monitor extends AudienceMonitor> = ReturnType<typeof createAudiences<Monitor>>;

/**
 * Collects the monitors of a notice that is written at `at`, by the destination that gets the notice. The notice lists
 * at most `kept` monitors for each destination. Monitors for which `isFirst` is true come before the others.
 */
export function createAudiences<Monitor extends AudienceMonitor>(
  at: Instant,
  kept = LISTED_MAX,
  isFirst: (monitor: Monitor) => boolean = () => false,
) {
  interface Gathered extends Pick<Audience<Monitor>, "routes"> {
    total: number;
    first: number;
    firsts: Monitor[];
    others: Monitor[];
  }
  const byName = new Map<string, Gathered>();
  const inOrder = (monitors: readonly Monitor[]): Monitor[] => monitors.toSorted(byIdentity).slice(0, kept);
  /** The list is sorted and cut only when it is twice as long as needed, so that adding is cheap. */
  const withOne = (monitors: Monitor[], monitor: Monitor): Monitor[] =>
    monitors.push(monitor) < 2 * kept ? monitors : inOrder(monitors);

  function add(monitor: Monitor, policy: MonitorPolicy): void {
    const routes = noticeRoutesOf(policy, at);
    const names = routes.length === 0 ? [""] : new Set(routes.map(({ destination }) => destination));
    for (const name of names) {
      const its = routes.filter(({ destination }) => destination === name);
      const known = byName.get(name) ?? { routes: its, total: 0, first: 0, firsts: [], others: [] };
      byName.set(name, known);
      known.total++;
      if (isFirst(monitor)) {
        known.first++;
        known.firsts = withOne(known.firsts, monitor);
      } else known.others = withOne(known.others, monitor);
    }
  }

  return {
    add,
    all: (): readonly Audience<Monitor>[] =>
      [...byName.values()].map(({ routes, total, first, firsts, others }) => ({
        routes,
        total,
        first,
        monitors: [...inOrder(firsts), ...inOrder(others)].slice(0, kept),
      })),
  };
}
