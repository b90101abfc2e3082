// Brings monitors in line with their application: pauses those of a suspended one, resumes them with it, and deletes
// those of a deleted one (R3). A piece a turn, so that no ping waits; what a crash leaves undone the next start does.

import type { Instant } from "../../domain/time.ts";
import { loadMonitor } from "../../views/monitor-records.ts";
import type { AfterCommit } from "../after-commit.ts";
import type { MonitorMemory } from "../clock/monitor-memory.ts";
import type { EngineContext } from "../context.ts";
import { applySignals } from "../record.ts";
import type { EngineTools } from "../tools.ts";
import { deleteOne } from "./delete-monitor.ts";

/** Monitors brought in line in one turn of the event loop. */
const FOLLOWING_A_TURN = 50;

interface FollowingParts extends EngineTools {
  readonly memory: MonitorMemory;
}

type BehindMonitor = ReturnType<EngineContext["store"]["monitors"]["outOfLine"]>[number];

export function createFollowing({ context, clock, memory, turns }: FollowingParts) {
  /** The id after which monitors are still to follow; null: all have. */
  let after: number | null = null;

  function follow(): void {
    if (after === null) return;
    const behind = context.store.monitors.outOfLine(after, FOLLOWING_A_TURN);
    const now = clock.now();
    const byId = new Map(behind.map((monitor) => [monitor.id, monitor]));
    memory.finish(memory.applyToEach([...byId.keys()], (id) => followApplication(context, byId.get(id)!, now), now));
    after = behind.length < FOLLOWING_A_TURN ? null : behind.at(-1)!.id;
    if (after !== null) turns.later(follow);
  }

  return {
    /** An application was suspended, resumed or deleted, or the process has started. */
    begin: (): void => {
      after = 0;
      turns.later(follow);
    },
    /** Once a second: goes on where nothing could be stored. */
    review: follow,
  };
}

/** In a transaction. Null: there is nothing left to do. */
function followApplication(
  context: EngineContext,
  { id, applicationId, key }: BehindMonitor,
  now: Instant,
): AfterCommit | null {
  const owner = context.store.applications.byId(applicationId)!;
  if (owner.deletedAt !== null) return deleteOne(context, owner, key, id, now).afterCommit;
  const before = loadMonitor(context, id);
  const isSuspended = owner.suspendedAt !== null;
  if (before === null || before.monitor.pauses.suspension === isSuspended) return null;
  const kind = isSuspended ? "pause" : "resume";
  return applySignals(context, before, [{ kind, pause: "suspension" }], now).afterCommit;
}
