// Who hears of which monitors in a notice: for each destination how many, and the first by application and key. However
// many monitors there are, it holds no more of them than a notice lists. Writes nothing.

import type { ListedMonitor } from "../../domain/message/notice.ts";
import { byIdentity, LISTED_MAX } from "../../domain/message/notice-lists.ts";
import { monitorPolicy, noticeRoutesOf, type Policy, type Route } from "../../domain/settings/policy.ts";

export type AudienceMonitor = Pick<ListedMonitor, "applicationId" | "monitorKey">;

export interface Audience<Monitor extends AudienceMonitor, Sum = null> {
  /** Empty: these monitors have none, and only the log reports them. */
  readonly routes: readonly Route[];
  readonly total: number;
  /** What the rules add up of all of them. */
  readonly sum: Sum;
  /** All of them, or more than a notice lists. */
  readonly monitors: readonly Monitor[];
}

export interface Audiences<Monitor extends AudienceMonitor, Sum = null> {
  add(monitor: Monitor): void;
  all(): readonly Audience<Monitor, Sum>[];
}

interface AudienceRules<Monitor extends AudienceMonitor, Sum> {
  /** Of more monitors than this the first are kept. */
  readonly kept: number;
  readonly order: (a: Monitor, b: Monitor) => number;
  /** The sum with one more monitor; null: it is the first. */
  readonly sumWith: (sum: Sum | null, monitor: Monitor) => Sum;
}

export const createAudiences = <Monitor extends AudienceMonitor>(
  policy: Policy,
  kept = LISTED_MAX,
): Audiences<Monitor> => createSummedAudiences<Monitor, null>(policy, { kept, order: byIdentity, sumWith: () => null });

export function createSummedAudiences<Monitor extends AudienceMonitor, Sum>(
  policy: Policy,
  { kept, order, sumWith }: AudienceRules<Monitor, Sum>,
): Audiences<Monitor, Sum> {
  const byName = new Map<string, { routes: readonly Route[]; total: number; sum: Sum; monitors: Monitor[] }>();

  function add(monitor: Monitor): void {
    const routes = noticeRoutesOf(monitorPolicy(policy, monitor.applicationId, monitor.monitorKey));
    const names = routes.length === 0 ? [""] : new Set(routes.map(({ destination }) => destination));
    for (const name of names) {
      const known = byName.get(name);
      const sum = sumWith(known === undefined ? null : known.sum, monitor);
      if (known === undefined) {
        const its = routes.filter(({ destination }) => destination === name);
        byName.set(name, { routes: its, total: 1, sum, monitors: [monitor] });
        continue;
      }
      known.total += 1;
      known.sum = sum;
      known.monitors.push(monitor);
      // Seldom, so that adding one costs little.
      if (known.monitors.length >= 2 * kept) known.monitors = known.monitors.sort(order).slice(0, kept);
    }
  }

  return { add, all: () => [...byName.values()] };
}

/** All of these monitors, for notices with an order of their own. */
export function audiencesOf<Monitor extends AudienceMonitor>(
  policy: Policy,
  monitors: readonly Monitor[],
): readonly Audience<Monitor>[] {
  const audiences = createAudiences<Monitor>(policy, Number.POSITIVE_INFINITY);
  for (const monitor of monitors) audiences.add(monitor);
  return audiences.all();
}
