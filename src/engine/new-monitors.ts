// Creates a monitor with its declared settings and those of the configuration.

import { KEEP_DELETED } from "../domain/limits.ts";
import { pauseBegin } from "../domain/monitor/draft.ts";
import { isPaused, newMonitor } from "../domain/monitor/monitor.ts";
import { wakeAt } from "../domain/monitor/settle.ts";
import { monitorPolicy, watchOf } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import { type MonitorRecord, recordWithPolicy } from "../views/completed-monitors.ts";
import type { MonitorReads } from "../views/view-source.ts";
import type { ActiveCounts, Owner } from "./capacity.ts";
import type { Gaps } from "./own-outages/gap-tracker.ts";

type Judging = Readonly<{ gaps: Gaps }>;

type Counting = Readonly<{ active: ActiveCounts }>;

/** Creates a monitor. No monitor of the application may have this key yet. Must be called in a transaction. */
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
  if (isPaused(monitor)) store.pausedSpans.begin(made.id, pauseBegin(monitor, now));
  store.deletedMonitors.inherit(made.id, owner.id, key, now - KEEP_DELETED);
  return recordWithPolicy(policy, made);
}
