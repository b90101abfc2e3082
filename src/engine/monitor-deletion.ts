// Deletes a monitor (R25), also one whose rows cannot be read. It closes the open incident and tells the recovery, as
// far as that is possible. Must be called in a transaction.

import { SQLiteError } from "bun:sqlite";
import { KEEP_DELETED } from "../domain/limits.ts";
import { type PauseBegin, pauseBegin } from "../domain/monitor/draft.ts";
import type { Incident } from "../domain/monitor/incident.ts";
import { newMonitor } from "../domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../domain/settings/declared.ts";
import { isMadeAtStart, monitorName, monitorPolicy, watchOf } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import { NO_RUNS } from "../store/runs.ts";
import type { Store } from "../store/store.ts";
import { type MonitorRecord, monitorWithPolicy } from "../views/completed-monitors.ts";
import type { DeletedMonitor } from "../views/schemas/monitor-schemas.ts";
import type { Owner } from "./capacity.ts";
import type { AfterCommit, EngineContext } from "./engine-context.ts";
import { applySignals } from "./record.ts";

type Deleted = Readonly<{ answer: DeletedMonitor; afterCommit: AfterCommit }>;

type Closed = Readonly<{ name: string; pause: PauseBegin; afterCommit: AfterCommit }>;

export function deleteMonitorById(
  context: EngineContext,
  owner: Owner,
  key: string,
  id: number,
  now: Instant,
): Deleted {
  const { store, policy } = context;
  const closed = closeWhole(context, id, now) ?? closeRemains(context, owner, key, id, now);
  const { pause, afterCommit } = closed;
  const untold = store.deletedMonitors.mark(id, now);
  // The monitor is not watched until the deletion is taken back (R25).
  store.pausedSpans.begin(id, pause);
  context.active.forget();
  const told = afterCommit.raised.find(({ message }) => message.data.kind === "Recovered");
  const answer = {
    application: owner.slug,
    key,
    name: closed.name,
    incidentId: told === undefined ? (untold[0] ?? null) : Number(told.message.data.incidentId),
    recoveryTold: told !== undefined,
    historyUntil: now + KEEP_DELETED,
    returnsAtStart: isMadeAtStart(policy.applications.get(owner.slug)?.monitors.get(key)),
  };
  return { answer, afterCommit: { ...afterCommit, wakeAt: null } };
}

/**
 * Closes the monitor's open incident and tells the recovery. Writes nothing and returns `null` when the monitor's rows
 * are unreadable or contradict each other.
 */
function closeWhole(context: EngineContext, id: number, now: Instant): Closed | null {
  const { database, memory } = context.store;
  // The caller's transaction is open, so SQLite makes this one a savepoint.
  const attempt = database.transaction((): Closed | null => {
    const before = monitorWithPolicy(context, id);
    return before === null ? null : close(context, before, now);
  });
  const takeBack = memory.mark();
  try {
    return attempt();
  } catch (error) {
    if (error instanceof SQLiteError) throw error;
    takeBack();
    return null;
  }
}

/**
 * Closes the open incident of an unreadable monitor and tells the recovery, if the incident can be read. The monitor's
 * settings are taken from the configuration, because its own rows may be unreadable.
 */
function closeRemains(context: EngineContext, owner: Owner, key: string, id: number, now: Instant): Closed {
  const { store, policy } = context;
  const { heads, receivedAt, openIncidents } = store.deletedMonitors.remains(id);
  const incident = firstReadable(store, openIncidents);
  const mine = monitorPolicy(policy, owner.slug, key);
  const watch = watchOf(mine);
  const before: MonitorRecord = {
    id,
    applicationId: owner.id,
    application: owner.slug,
    key,
    declared: NOTHING_DECLARED,
    updatedAt: now,
    wakeAt: null,
    heads,
    storedRuns: NO_RUNS,
    policy: mine,
    monitor: { ...newMonitor(watch, now), receivedAt, incident, incidentCount: incident?.number ?? 0 },
  };
  return close(context, before, now);
}

/** Returns the first readable incident, or `null`. Its reminder is removed, because an overdue one is of no use. */
function firstReadable({ incidents }: Store, ids: readonly number[]): Incident | null {
  for (const id of ids) {
    try {
      const incident = incidents.load(id);
      if (Array.isArray(incident.causes)) return { ...incident, remindAt: null };
    } catch (error) {
      if (error instanceof SQLiteError) throw error;
    }
  }
  return null;
}

const close = (context: EngineContext, before: MonitorRecord, now: Instant): Closed => ({
  name: monitorName(before.policy, before.declared),
  pause: pauseBegin(before.monitor, now),
  afterCommit: applySignals(context, before, [{ kind: "delete" }], now).afterCommit,
});
