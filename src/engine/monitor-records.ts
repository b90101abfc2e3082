// Monitors as the store keeps them and the configuration completes them: loaded, or made new. What is decided about one, and
// written of that, is everybody else's business.

import { EARLY_MAX } from "../domain/limits.ts";
import { type Gap, type Monitor, newMonitor } from "../domain/monitor/monitor.ts";
import { wakeAt } from "../domain/monitor/settle.ts";
import { type Policy, watchOf, watchRulesOf } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorRecord, WatchRules } from "../store/monitors.ts";
import type { Owner } from "./capacity.ts";
import type { AfterCommit, EngineContext } from "./record.ts";

/** How the store completes a watch with what only the configuration knows. */
export const rulesOf =
  (policy: Policy): WatchRules =>
  (application, key) =>
    watchRulesOf(policy, application, key);

/** Null: there is none, or no more. Throws when its rows cannot be read. */
export const loadMonitor = (
  { store, policy }: Pick<EngineContext, "store" | "policy">,
  id: number,
): MonitorRecord | null => store.monitors.loadById(id, rulesOf(policy));

/** Makes one of what is declared for it, under what the configuration says. Its key must be free. In a transaction. */
export function makeMonitor(
  context: EngineContext,
  owner: Owner,
  key: string,
  declared: Declared,
  now: Instant,
): MonitorRecord {
  const monitor = newMonitor(watchOf(context.policy, owner.slug, key, declared), now);
  return context.store.monitors.insert(owner, key, declared, monitor, wakeAt(monitor, context.gaps()));
}

/**
 * The gaps by which something about the monitor is judged. While slots are only counted (R23), also those that are decided:
 * nobody waits for them on its account, and yet the slots in them were not missed (R26). In a transaction.
 */
export const gapsAbout = ({ store, gaps }: EngineContext, { incident, expectedAt }: Monitor): readonly Gap[] =>
  incident === null || expectedAt === null ? gaps() : store.gaps.since(expectedAt - EARLY_MAX);

/** What is left to do for one of which nobody has anything to tell: to look at it again. */
export const lookAgain = ({ id, monitor }: MonitorRecord, wakeAt: Instant | null): AfterCommit => ({
  monitorId: id,
  wakeAt,
  changedAt: monitor.changedAt,
  raised: [],
});
