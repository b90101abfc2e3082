// Who hears of which monitors in a notice: for each destination how many, and the first by application and key. However
// many monitors there are, it holds no more of them than a notice lists. Writes nothing.

import type { ListedMonitor } from "../../domain/message/notice.ts";
import { byIdentity, LISTED_MAX } from "../../domain/message/notice-lists.ts";
import { monitorPolicy, noticeRoutesOf, type Policy, type Route } from "../../domain/settings/policy.ts";

export type AudienceMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey">;

export interface Audience<Monitor extends AudienceMonitor> {
  /** Empty: these monitors have none, and only the log reports them. */
  readonly routes: readonly Route[];
  readonly total: number;
  /** How many stand first. */
  readonly first: number;
  /** All of them, or the first that a notice lists. */
  readonly monitors: readonly Monitor[];
}

export type Audiences<Monitor extends AudienceMonitor> = ReturnType<typeof createAudiences<Monitor>>;

/** Of more monitors than `kept` the first are kept; `isFirst`: which stand before all others. */
export function createAudiences<Monitor extends AudienceMonitor>(
  policy: Policy,
  kept = LISTED_MAX,
  isFirst: (monitor: Monitor) => boolean = () => false,
) {
  const byName = new Map<string, { routes: readonly Route[]; total: number; first: number; monitors: Monitor[] }>();
  const inOrder = (monitors: readonly Monitor[]): Monitor[] =>
    monitors.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || byIdentity(a, b)).slice(0, kept);

  function add(monitor: Monitor): void {
    const routes = noticeRoutesOf(monitorPolicy(policy, monitor.applicationId, monitor.monitorKey));
    const names = routes.length === 0 ? [""] : new Set(routes.map(({ destination }) => destination));
    for (const name of names) {
      const its = routes.filter(({ destination }) => destination === name);
      const known = byName.get(name) ?? { routes: its, total: 0, first: 0, monitors: [] };
      byName.set(name, known);
      known.total++;
      if (isFirst(monitor)) known.first++;
      known.monitors.push(monitor);
      // Seldom, so that adding one costs little.
      if (known.monitors.length >= 2 * kept) known.monitors = inOrder(known.monitors);
    }
  }

  return {
    add,
    all: (): readonly Audience<Monitor>[] =>
      [...byName.values()].map((audience) => ({ ...audience, monitors: inOrder(audience.monitors) })),
  };
}
