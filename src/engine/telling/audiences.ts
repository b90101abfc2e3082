// Who hears of which monitors in a notice: for each destination how many, and the first by application and key. However many
// monitors there are, it holds no more of them than a notice lists. Writes nothing.

import { byIdentity, LISTED_MAX } from "../../domain/message/notice-lists.ts";
import { monitorPolicy, noticeRoutesOf, type Policy, type Route } from "../../domain/settings/policy.ts";

/** How notices name a monitor. */
export interface Named {
  readonly application: string;
  readonly key: string;
}

/** One destination. */
export interface Audience<Monitor extends Named> {
  /** Empty: these monitors have none, and only the log reports them. */
  readonly routes: readonly Route[];
  /** How many monitors it hears of. */
  readonly total: number;
  /** All of them, or more than a notice lists. */
  readonly monitors: readonly Monitor[];
}

export interface Audiences<Monitor extends Named> {
  add(monitor: Monitor): void;
  all(): readonly Audience<Monitor>[];
}

/** `kept`: of more monitors than this the first are kept. */
export function createAudiences<Monitor extends Named>(policy: Policy, kept = LISTED_MAX): Audiences<Monitor> {
  const byName = new Map<string, { readonly routes: readonly Route[]; total: number; monitors: Monitor[] }>();

  function add(monitor: Monitor): void {
    const routes = noticeRoutesOf(monitorPolicy(policy, monitor.application, monitor.key));
    const names = routes.length === 0 ? [""] : new Set(routes.map(({ destination }) => destination));
    for (const name of names) {
      const audience = byName.get(name) ?? {
        routes: routes.filter(({ destination }) => destination === name),
        total: 0,
        monitors: [],
      };
      byName.set(name, audience);
      audience.total += 1;
      audience.monitors.push(monitor);
      // Seldom, so that adding one costs little.
      if (audience.monitors.length >= 2 * kept) audience.monitors = audience.monitors.sort(byIdentity).slice(0, kept);
    }
  }

  return { add, all: () => [...byName.values()] };
}

/** All of these monitors, for notices with an order of their own. */
export function audiencesOf<Monitor extends Named>(
  policy: Policy,
  monitors: readonly Monitor[],
): readonly Audience<Monitor>[] {
  const audiences = createAudiences<Monitor>(policy, Number.POSITIVE_INFINITY);
  for (const monitor of monitors) audiences.add(monitor);
  return audiences.all();
}
