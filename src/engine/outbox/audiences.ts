// Finds for a notice which destinations are told of which monitors: how many, and the first ones by application and
// key. However many monitors there are, it keeps no more of them than a notice lists. Writes nothing.

import type { ListedMonitor } from "../../domain/message/notice.ts";
import { byIdentity, LISTED_MAX } from "../../domain/message/notice-lists.ts";
import { noticeRoutesOf } from "../../domain/settings/alert-routes.ts";
import type { MonitorPolicy, Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";

export type AudienceMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey">;

export interface Audience<Monitor extends AudienceMonitor> {
  /** The routes of these monitors; empty when there are none, so that only the log tells of them. */
  readonly routes: readonly Route[];
  readonly total: number;
  readonly first: number;
  /** The monitors, or the first of them, which a notice lists. */
  readonly monitors: readonly Monitor[];
}

export type Audiences<Monitor extends AudienceMonitor> = ReturnType<typeof createAudiences<Monitor>>;

/**
 * Collects who is told at `at`. Of more than `kept` monitors the first are kept; those for which `isFirst` holds come
 * before all others.
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
  /** Adds a monitor to the list, which is sorted only now and then, so that adding costs little. */
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
