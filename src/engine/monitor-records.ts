// Monitors as the store keeps them and the configuration completes them: loaded, or made new. Others decide about
// a monitor and write what they decided.

import { EARLY_MAX } from "../domain/limits.ts";
import { type Gap, type Monitor, newMonitor } from "../domain/monitor/monitor.ts";
import { wakeAt } from "../domain/monitor/settle.ts";
import { type MonitorPolicy, monitorPolicy, type Policy, watchOf, watchUnder } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { StoredMonitor } from "../store/monitors.ts";
import type { Store } from "../store/store.ts";
import type { Gaps } from "./clock/gap-tracker.ts";

/** A monitor as it is stored, with what the policy says of it. */
export interface MonitorRecord extends Omit<StoredMonitor, "applied" | "facts"> {
  readonly policy: MonitorPolicy;
  readonly monitor: Monitor;
}

/** The application whose monitor it is, or will be. */
export interface Owner {
  readonly id: number;
  readonly slug: string;
}

export interface Books {
  readonly store: Store;
  readonly policy: Policy;
}

interface Judging {
  /** When we could not hear (R26). */
  readonly gaps: Gaps;
}

/** Null: there is none, or no more. Throws when its rows cannot be read. */
export function loadMonitor({ store, policy }: Books, id: number): MonitorRecord | null {
  const stored = store.monitors.loadById(id);
  return stored === null ? null : recordOf(policy, stored);
}

/** The same by its key; `runId`: the run the signal names, which is loaded beside those that matter. */
export function loadNamed(
  { store, policy }: Books,
  applicationId: number,
  key: string,
  runId: string | null,
): MonitorRecord | null {
  const stored = store.monitors.load(applicationId, key, runId);
  return stored === null ? null : recordOf(policy, stored);
}

function recordOf(whole: Policy, stored: StoredMonitor): MonitorRecord {
  // Field by field: it happens on every ping, and a rest pattern takes twenty times as long.
  const { id, applicationId, application, key, declared, updatedAt, wakeAt, heads, storedRuns } = stored;
  const policy = monitorPolicy(whole, application, key);
  const monitor = { ...stored.facts, watch: watchUnder(policy, stored.applied) };
  return { id, applicationId, application, key, declared, updatedAt, wakeAt, heads, storedRuns, policy, monitor };
}

/** Makes one of what is declared for it, under what the configuration says. Its key must be free. In a transaction. */
export function makeMonitor(
  { store, policy, gaps }: Books & Judging,
  owner: Owner,
  key: string,
  declared: Declared,
  now: Instant,
): MonitorRecord {
  const monitor = newMonitor(watchOf(monitorPolicy(policy, owner.slug, key), declared), now);
  return recordOf(policy, store.monitors.insert(owner, key, declared, monitor, wakeAt(monitor, gaps.undecided())));
}

/**
 * The gaps by which something about the monitor is judged. While slots are only counted (R23), also those that are decided:
 * the monitor waits for them no more, but the slots in them were not missed (R26). In a transaction.
 */
export const gapsAbout = ({ gaps }: Judging, { incident, expectedAt }: Monitor): readonly Gap[] =>
  incident === null || expectedAt === null ? gaps.undecided() : gaps.since(expectedAt - EARLY_MAX);
