// What the engine remembers of monitors between transactions: when to look at each, whose row cannot be read, and the newest
// instant. The rows are the truth; this is brought up to date after each commit, never before.

import type { Log } from "../domain/log.ts";
import { HOUR, type Instant } from "../domain/time.ts";
import type { AfterCommit } from "./after-commit.ts";
import type { Doubts } from "./clock/doubts.ts";
import type { NewestInstant } from "./clock/newest-instant.ts";
import type { Wheel } from "./clock/wheel.ts";
import type { Committer } from "./committer.ts";
import type { AnnouncedChanges } from "./reads/changes.ts";
import type { Announcer } from "./telling/announce.ts";

export interface MonitorMemory {
  /** To be called after each commit: does what it left to do. null: nothing. */
  finish(afterCommits: readonly (AfterCommit | null)[]): void;
  /**
   * One transaction for all of these monitors. A row that throws stops no others: it is logged and looked at again in an
   * hour (R19). Throws when nothing was kept.
   */
  applyToEach<Result extends AfterCommit>(
    ids: readonly number[],
    apply: (id: number) => Result | null,
    now: Instant,
  ): (Result | null)[];
  /** Monitors whose rows threw at the last look: rollcall cannot tell of their trouble. */
  readonly unreadable: ReadonlySet<number>;
}

interface MonitorMemoryParts {
  readonly wheel: Wheel;
  readonly doubts: Doubts;
  readonly newest: NewestInstant;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly changes: AnnouncedChanges;
  readonly log: Log;
}

export function createMonitorMemory(parts: MonitorMemoryParts): MonitorMemory {
  const { wheel, doubts, newest, committer, announcer, changes, log } = parts;
  const unreadable = new Set<number>();

  /** Hints go first: no deadline is forgotten because something else goes wrong. */
  function finish(afterCommits: readonly (AfterCommit | null)[]): void {
    for (const afterCommit of afterCommits) {
      if (afterCommit === null) continue;
      const { monitorId, wakeAt, changedAt } = afterCommit;
      wheel.arm(monitorId, wakeAt);
      unreadable.delete(monitorId);
      newest.stored(changedAt);
      doubts.touch(monitorId);
    }
    announcer.alerts(afterCommits.flatMap((afterCommit) => afterCommit?.raised ?? []));
    changes.announce(afterCommits);
  }

  function applyToEach<Result extends AfterCommit>(
    ids: readonly number[],
    apply: (id: number) => Result | null,
    now: Instant,
  ): (Result | null)[] {
    const unread = (monitorId: number, error: unknown): null => {
      log("error", "monitor_unreadable", { monitorId, error });
      unreadable.add(monitorId);
      doubts.touch(monitorId);
      wheel.arm(monitorId, now + HOUR);
      return null;
    };
    return committer.all<number, Result | null>(ids, apply, unread, null);
  }

  return { finish, applyToEach, unreadable };
}
