// Monitors as stored, completed by the configuration: loaded or newly made. Others decide about a monitor and write
// their decisions.

import { type Gap, type Monitor, newMonitor } from "../domain/monitor/monitor.ts";
import { wakeAt } from "../domain/monitor/settle.ts";
import { earliestWindow } from "../domain/monitor/window.ts";
import { type MonitorPolicy, monitorPolicy, type Policy, watchOf, watchUnder } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { StoredMonitor } from "../store/monitors.ts";
import type { Store } from "../store/store.ts";
import type { ActiveCounts } from "./active-counts.ts";
import type { Gaps } from "./clock/gap-tracker.ts";

/** A monitor as stored, with its policy. */
export interface MonitorRecord extends Omit<StoredMonitor, "applied" | "facts"> {
  readonly policy: MonitorPolicy;
  readonly monitor: Monitor;
}

/** The application that owns the monitor, or will. */
export interface Owner {
  readonly id: number;
  readonly slug: string;
}

export interface MonitorBooks {
  readonly store: Store;
  readonly policy: Policy;
}

interface Judging {
  /** When we could not hear (R26). */
  readonly gaps: Gaps;
}

interface Counting {
  readonly active: ActiveCounts;
}

/** Null: there is none, or no longer. Throws when its rows cannot be read. */
export function loadMonitor({ store, policy }: MonitorBooks, id: number): MonitorRecord | null {
  const stored = store.monitors.loadById(id);
  return stored === null ? null : recordOf(policy, stored);
}

/** The same by its key; `runId`: the run the signal names, which is loaded beside those that matter. */
export function loadNamed(
  { store, policy }: MonitorBooks,
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

/** Makes a monitor from its declared values and the configuration. Its key must be free. In a transaction. */
export function makeMonitor(
  { store, policy, gaps, active }: MonitorBooks & Judging & Counting,
  owner: Owner,
  key: string,
  declared: Declared,
  now: Instant,
): MonitorRecord {
  const fresh = newMonitor(watchOf(monitorPolicy(policy, owner.slug, key), declared), now);
  const suspension = store.applications.byId(owner.id)?.suspendedAt != null;
  const monitor = suspension ? { ...fresh, pauses: { ...fresh.pauses, suspension } } : fresh;
  active.noteChange(owner.id, null, monitor.pauses);
  return recordOf(policy, store.monitors.insert(owner, key, declared, monitor, wakeAt(monitor, gaps.undecided())));
}

/**
 * The gaps that we judge the monitor by. While slots are only counted (R23), they include decided gaps: the monitor no
 * longer waits for them, but slots in them were not missed (R26). In a transaction.
 */
export const gapsAbout = ({ gaps }: Judging, { incident, expectedAt, watch }: Monitor): readonly Gap[] =>
  incident === null || expectedAt === null
    ? gaps.undecided()
    : gaps.since(earliestWindow(watch, Math.min(expectedAt, incident.expectedAt ?? expectedAt)));
