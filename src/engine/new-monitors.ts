// Creates monitors, and finds the gaps by which a monitor is judged.

import { KEEP_DELETED } from "../domain/limits.ts";
import { type Gap, type Monitor, newMonitor } from "../domain/monitor/monitor.ts";
import { wakeAt } from "../domain/monitor/settle.ts";
import { earliestWindow } from "../domain/monitor/window.ts";
import { monitorPolicy, watchOf } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import { type MonitorRecord, recordOf } from "../views/completed-monitors.ts";
import type { MonitorReads } from "../views/view-source.ts";
import type { ActiveCounts, Owner } from "./capacity.ts";
import type { Gaps } from "./own-outages/gap-tracker.ts";

type Judging = Readonly<{ gaps: Gaps }>;

type Counting = Readonly<{ active: ActiveCounts }>;

/**
 * Makes a monitor from its declared values and the configuration. Its key must be free. Must be called in a
 * transaction.
 */
export function makeMonitor(
  { store, policy, gaps, active }: MonitorReads & Judging & Counting,
  owner: Owner,
  key: string,
  declared: Declared,
  now: Instant,
): MonitorRecord {
  const fresh = newMonitor(watchOf(monitorPolicy(policy, owner.slug, key, declared)), now);
  const suspension = store.applications.byId(owner.id)?.suspendedAt != null;
  const monitor = suspension ? { ...fresh, pauses: { ...fresh.pauses, suspension } } : fresh;
  active.noteChange(owner.id, null, monitor.pauses);
  const made = store.monitors.insert(owner, key, declared, monitor, wakeAt(monitor, gaps.undecided()));
  store.deletedMonitors.inherit(made.id, owner.id, key, now - KEEP_DELETED);
  return recordOf(policy, made);
}

/**
 * The gaps by which the monitor is judged. While its slots are only counted (R23), these include decided gaps: slots in
 * them were not missed, although the monitor no longer waits for the gaps (R26). Must be called in a transaction.
 */
export const gapsAbout = ({ gaps }: Judging, { incident, expectedAt, watch }: Monitor): readonly Gap[] =>
  incident === null || expectedAt === null
    ? gaps.undecided()
    : gaps.since(earliestWindow(watch, Math.min(expectedAt, incident.expectedAt ?? expectedAt)));
