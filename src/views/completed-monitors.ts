// Loads a stored monitor together with its policy, which is what the configuration says of it.

import type { Monitor } from "../domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../domain/settings/declared.ts";
import { labelsOf, type MonitorPolicy, monitorPolicy, type Policy, watchUnder } from "../domain/settings/policy.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { StoredMonitor } from "../store/monitors.ts";
import type { MonitorReads } from "./view-source.ts";

export interface MonitorRecord extends Omit<StoredMonitor, "applied" | "facts"> {
  readonly policy: MonitorPolicy;
  readonly monitor: Monitor;
}

/** Loads a monitor with its policy; `null` when there is none any more. Throws when its rows cannot be read. */
export function monitorWithPolicy({ store, policy }: MonitorReads, id: number): MonitorRecord | null {
  const stored = store.monitors.loadById(id);
  return stored === null ? null : recordWithPolicy(policy, stored);
}

/**
 * Loads a monitor by its key; `null` when there is none. The run `runId`, which a report names, is loaded besides the
 * runs that are always loaded; `null` for no further run.
 */
export function namedMonitorWithPolicy(
  { store, policy }: MonitorReads,
  applicationId: number,
  key: string,
  runId: string | null,
): MonitorRecord | null {
  const stored = store.monitors.load(applicationId, key, runId);
  return stored === null ? null : recordWithPolicy(policy, stored);
}

export function recordWithPolicy(whole: Policy, stored: StoredMonitor): MonitorRecord {
  // The fields are named singly, because this runs on every ping and a rest pattern takes twenty times as long.
  const { id, applicationId, application, key, declared, updatedAt, wakeAt, heads, storedRuns } = stored;
  const policy = monitorPolicy(whole, application, key, declared);
  const monitor = { ...stored.facts, watch: watchUnder(policy, stored.applied) };
  return { id, applicationId, application, key, declared, updatedAt, wakeAt, heads, storedRuns, policy, monitor };
}

export type PolicyFacts = Pick<MonitorOutline, "application" | "key" | "declaredSeverity" | "declaredLabels">;

/** The policy of a monitor in a list. Of the declared settings, it has only severity and labels. */
export const policyOfOutline = (policy: Policy, facts: PolicyFacts): MonitorPolicy =>
  monitorPolicy(policy, facts.application, facts.key, {
    ...NOTHING_DECLARED,
    severity: facts.declaredSeverity,
    labels: facts.declaredLabels,
  });

/** The labels of a listed monitor, sorted and with a space between two; `null` when there are none. */
export const outlinedLabels = (policy: Policy, facts: PolicyFacts): string | null =>
  labelsOf(policyOfOutline(policy, facts));
