// Planned maintenance (R24). It is stored in rows, and a copy is kept in memory as part of the policy.

import { maintenanceByRules } from "../../domain/schedule/planned.ts";
import { type Policy, withNotified } from "../../domain/settings/policy.ts";
import { targetMatcherOf } from "../../domain/settings/targets.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";

/**
 * Moves planned maintenance whose times were given in a zone, so that by the present rules it begins and ends when that
 * zone's clocks show those times. Must be called in a transaction.
 */
export function moveMaintenances({ maintenances }: Store, now: Instant): void {
  for (const row of maintenances.named(now)) {
    const { from, until } = maintenanceByRules(row, row, now);
    if (from !== row.from || until !== row.until) maintenances.move(row.id, { from, until });
  }
}

/**
 * Returns the policy with two things added that the configuration does not have: planned maintenance, and the people
 * who are notified in a browser (R38).
 */
export const withPlannedMaintenance = (policy: Policy, { maintenances, browsers }: Store, now: Instant): Policy => {
  const open = maintenances.open(now).map((row) => ({ ...row, reaches: targetMatcherOf(row.targets) }));
  return { ...withNotified(policy, browsers.owners()), planned: Map.groupBy(open, ({ application }) => application) };
};
