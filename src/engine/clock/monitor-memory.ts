// Remembers about monitors, between transactions: when each is due, which rows are unreadable, and the newest instant.
// The rows are the truth; this memory is updated after each commit, never before.

import type { Log } from "../../domain/log.ts";
import { HOUR, type Instant } from "../../domain/time.ts";
import type { createChanges } from "../../views/changes.ts";
import type { Committer } from "../committer.ts";
import type { AfterCommit } from "../engine-context.ts";
import type { Announcer } from "../outbox/announce.ts";
import type { NewestInstant } from "../own-outages/newest-instant.ts";
import type { Doubts } from "./doubts.ts";
import type { Wheel } from "./wheel.ts";

export type MonitorMemory = ReturnType<typeof createMonitorMemory>;

interface MonitorMemoryParts {
  readonly wheel: Wheel;
  readonly doubts: Doubts;
  readonly newest: NewestInstant;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly changes: ReturnType<typeof createChanges>;
  /** Called after a commit by which an incident has ended, was acknowledged, or is so no more. */
  readonly answered: ((incidentId: number) => void) | undefined;
  readonly log: Log;
}

/** Whether the commit left something that people are told. Nearly no report does. */
const hasNews = ({ raised, notices, answered }: AfterCommit): boolean =>
  raised.length + notices.length + answered.length > 0;

export function createMonitorMemory(parts: MonitorMemoryParts) {
  const { wheel, doubts, newest, committer, announcer, changes, answered, log } = parts;
  const unreadable = new Set<number>();

  /** Hints come first, so that no other failure loses a deadline. */
  function finish(afterCommits: readonly (AfterCommit | null)[]): void {
    for (const afterCommit of afterCommits) {
      if (afterCommit === null) continue;
      const { monitorId, wakeAt, changedAt } = afterCommit;
      wheel.arm(monitorId, wakeAt);
      unreadable.delete(monitorId);
      newest.stored(changedAt);
      doubts.touch(monitorId);
    }
    const news = afterCommits.filter((one) => one !== null).filter(hasNews);
    announcer.alerts(news.flatMap(({ raised }) => raised));
    announcer.notices(news.flatMap(({ notices }) => notices));
    if (afterCommits.some((one) => one?.isSooner)) announcer.sooner();
    const changed = news.flatMap((one) => [...one.answered, ...one.raised.flatMap(({ joined }) => joined ?? [])]);
    for (const id of changed) answered?.(id);
    changes.announce(afterCommits);
  }

  /**
   * Applies a function to all these monitors in one transaction; throws when nothing was kept. A row that throws does
   * not stop the others, and is tried again after an hour (R19).
   */
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

  return {
    finish,
    applyToEach,
    /** Monitors whose rows threw when they were last read, so that rollcall cannot tell of their trouble. */
    unreadable,
  };
}
