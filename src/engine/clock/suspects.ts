// The monitors that gaps leave in doubt, in memory; a new process finds them again. Reads stored monitors; changes
// none.

import { undecidedSince, wakeAt } from "../../domain/monitor/settle.ts";
import type { Instant } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import { loadMonitor } from "../monitor-records.ts";

export interface Suspect {
  /** Since when it has something undecided. */
  readonly since: Instant;
  /** When time next changes it; anything due by then is unjudged. */
  readonly wakeAt: Instant;
}

export interface Suspects {
  /** Something changed about this monitor. */
  touch(monitorId: number): void;
  /** Suspects that changed since they were last looked at. */
  touched(): readonly number[];
  /** All changed monitors are about to be looked at; `keep` false: every monitor is. */
  begin(keep: boolean): void;
  /** Whether something about it has been undecided since `newestEnd` or before. */
  look(monitorId: number, newestEnd: Instant, now: Instant): void;
  /** The first instants of any; Infinity when there is none. */
  first(): Suspect;
}

export function createSuspects(context: EngineContext): Suspects {
  const suspects = new Map<number, Suspect>();
  const touched = new Set<number>();

  /** An unreadable monitor must not keep the others waiting. */
  function suspectOf(id: number, now: Instant): Suspect | null {
    try {
      const record = loadMonitor(context, id);
      const since = record === null ? null : undecidedSince(record.monitor, now);
      if (record === null || since === null) return null;
      return { since, wakeAt: wakeAt(record.monitor, context.gaps.undecided()) ?? Number.POSITIVE_INFINITY };
    } catch {
      return null;
    }
  }

  return {
    touch: (id) => {
      if (suspects.has(id)) touched.add(id);
    },
    touched: () => [...touched],
    begin: (keep) => {
      if (!keep) suspects.clear();
      touched.clear();
    },
    look: (id, newestEnd, now) => {
      const suspect = suspectOf(id, now);
      if (suspect === null || suspect.since > newestEnd) suspects.delete(id);
      else suspects.set(id, suspect);
    },
    first: () => {
      let since = Number.POSITIVE_INFINITY;
      let wakeAt = Number.POSITIVE_INFINITY;
      for (const suspect of suspects.values()) {
        since = Math.min(since, suspect.since);
        wakeAt = Math.min(wakeAt, suspect.wakeAt);
      }
      return { since, wakeAt };
    },
  };
}
