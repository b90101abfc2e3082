// Why a ping cannot be recorded or an alert cannot be delivered right now, in sentences (`/readyz`).

import { STORAGE_FAULT_WORDS } from "../domain/storage-fault.ts";
import { counted } from "../domain/wording/spoken-time.ts";
import type { Clock } from "./api.ts";
import type { ClockWatch } from "./clock/clock-watch.ts";
import type { Committer } from "./committer.ts";
import type { EngineContext } from "./context.ts";
import type { MonitorMemory } from "./monitor-memory.ts";
import { type Audience, unheardOf } from "./telling/reach.ts";

interface TroublesParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly clockWatch: ClockWatch;
  readonly clock: Clock;
  readonly memory: MonitorMemory;
}

/** Answers them for this audience; empty when all is well. */
export function createTroubles({ context, committer, clockWatch, clock, memory }: TroublesParts) {
  return (audience: Audience = "operator"): string[] => {
    const fault = committer.failing()?.fault;
    const storage = fault === undefined ? null : STORAGE_FAULT_WORDS[fault];
    const { unreadable } = memory;
    const unread =
      unreadable.size === 0 ? null : `${counted(unreadable.size, "monitor")} cannot be read, the log has more`;
    const ours = [storage, clockWatch.trouble(clock.now()), unread].filter((trouble) => trouble !== null);
    return [...ours, ...unheardOf(context.policy, context.failing(), context.store.applications.list(), audience)];
  };
}
