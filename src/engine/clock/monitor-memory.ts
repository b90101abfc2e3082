// After each commit that changed monitors: tells the wheel when to look at them again, notes which monitors cannot be
// read, and passes alerts to the log and the notifier. What it keeps in memory can be read again from the database.

import type { Log } from "../../domain/log.ts";
import { HOUR, type Instant } from "../../domain/time.ts";
import type { createChangeFeeds } from "../../views/changes.ts";
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
  readonly changes: ReturnType<typeof createChangeFeeds>;
  /** Called for each incident whose messages must be edited now, for example because it ended. Must not throw. */
  readonly incidentTouched: ((incidentId: number) => void) | undefined;
  readonly log: Log;
}

const hasNews = ({ raised, notices, touchedIncidents }: AfterCommit): boolean =>
  raised.length + notices.length + touchedIncidents.length > 0;

export function createMonitorMemory(parts: MonitorMemoryParts) {
  const { wheel, doubts, newest, committer, announcer, changes, incidentTouched, log } = parts;
  const unreadable = new Set<number>();

  /**
   * Does the work that commits have left. An entry is `null` when its commit left none. The wheel comes first, so that
   * no error makes the wheel miss a due time.
   */
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
    const changed = news.flatMap((one) => [
      ...one.touchedIncidents,
      ...one.raised.flatMap(({ joined }) => joined ?? []),
    ]);
    for (const id of changed) incidentTouched?.(id);
    changes.announce(afterCommits);
  }

  /**
   * Applies a function to each of these monitors, in one transaction. A monitor for which it throws gets `null` and is
   * looked at again after an hour; the other monitors are not affected (R19). Throws when the transaction failed; then
   * nothing was stored.
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
    /** The monitors that could not be read when they were last looked at. Their people cannot be told of trouble. */
    unreadable,
  };
}
