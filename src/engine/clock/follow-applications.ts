// Makes monitors follow their application (R3). Those of a suspended application are paused, and resumed with it; those
// of a deleted one are deleted. It takes many turns, so that no report waits long. If a crash interrupts it, the next
// start finishes it.

import type { Instant } from "../../domain/time.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import type { AfterCommit, EngineContext, EngineTools } from "../engine-context.ts";
import { deleteMonitorById } from "../monitor-deletion.ts";
import { applySignals } from "../record.ts";
import type { MonitorMemory } from "./monitor-memory.ts";

const MONITORS_A_PIECE = 50;

type FollowingParts = EngineTools & Readonly<{ memory: MonitorMemory }>;

type BehindMonitor = ReturnType<EngineContext["store"]["monitors"]["notFollowing"]>[number];

export function createApplicationFollowing({ context, clock, memory, background }: FollowingParts) {
  /** Monitors with larger ids must still follow their application; `null` when all do. */
  let after: number | null = null;

  function follow(): void {
    if (after === null) return;
    const behind = context.store.monitors.notFollowing(after, MONITORS_A_PIECE);
    const now = clock.now();
    const byId = new Map(behind.map((monitor) => [monitor.id, monitor]));
    memory.finish(memory.applyToEach([...byId.keys()], (id) => followApplication(context, byId.get(id)!, now), now));
    after = behind.length < MONITORS_A_PIECE ? null : behind.at(-1)!.id;
    if (after !== null) background.later(follow);
  }

  return {
    /**
     * Begins to pause, resume or delete monitors as their applications demand, over later turns. Must be called at a
     * start, and when an application was suspended, resumed or deleted.
     */
    begin: (): void => {
      after = 0;
      background.later(follow);
    },
    /**
     * Goes on with the monitors that are left, if an error of storage has interrupted this work. Must be called once a
     * second.
     */
    review: follow,
  };
}

/**
 * Pauses, resumes or deletes one monitor, as its application demands. Returns the work for after the commit, or `null`
 * when there is none. Must be called in a transaction.
 */
function followApplication(
  context: EngineContext,
  { id, applicationId, key }: BehindMonitor,
  now: Instant,
): AfterCommit | null {
  const owner = context.store.applications.byId(applicationId)!;
  if (owner.deletedAt !== null) return deleteMonitorById(context, owner, key, id, now).afterCommit;
  const before = monitorWithPolicy(context, id);
  const isSuspended = owner.suspendedAt !== null;
  if (before === null || before.monitor.pauses.suspension === isSuspended) return null;
  const kind = isSuspended ? "pause" : "resume";
  return applySignals(context, before, [{ kind, pause: "suspension" }], now).afterCommit;
}
