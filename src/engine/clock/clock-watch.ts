// Watching the clock, once a second: settles due monitors, decides gaps, corrects the times of a wrong clock, and once an hour
// does the upkeep. Each in later turns of the event loop.

import type { Instant } from "../../domain/time.ts";
import type { AdminKeyring } from "../admin-keyring.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Keyring } from "../keyring.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import type { People } from "../people/people.ts";
import type { Announcer } from "../telling/announce.ts";
import type { Turns } from "../turns.ts";
import type { Doubts } from "./doubts.ts";
import type { GapTracker } from "./gap-tracker.ts";
import type { NewestInstant } from "./newest-instant.ts";
import { createSettle } from "./settle-due.ts";
import { createUpkeep, isNewHour } from "./upkeep.ts";
import type { Wheel } from "./wheel.ts";
import { createWrongClock } from "./wrong-clock.ts";

export interface ClockWatch {
  /** To be called once a second, before all else: settles due monitors in a later turn. Returns the present instant. */
  settle(): Instant;
  /** The rest of the work of each second. `now`: the result of `settle`. */
  review(now: Instant): void;
  /** See `WrongClock`. */
  trouble(now: Instant): string | null;
}

interface ClockWatchParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly keyring: Keyring;
  readonly adminKeyring: AdminKeyring;
  readonly people: People;
  readonly wheel: Wheel;
  readonly doubts: Doubts;
  readonly newest: NewestInstant;
  readonly memory: MonitorMemory;
  readonly announcer: Announcer;
  readonly turns: Turns;
  /** Commits the reports that wait. */
  readonly flush: () => void;
}

export function createClockWatch(parts: ClockWatchParts): ClockWatch {
  const { clock, gaps, committer, doubts, turns } = parts;
  const settle = createSettle(parts);
  const wrongClock = createWrongClock(parts);
  const upkeep = createUpkeep(parts);
  let lastReview = clock.now();

  function review(now: Instant): void {
    if (gaps.hasNews() || committer.failing() !== null) turns.later(committer.tryOut);
    turns.later(() => doubts.review(now));
    turns.later(() => wrongClock.review(now));
    if (isNewHour(lastReview, now)) {
      // Also finds changes that no call has named.
      gaps.searchAgain();
      upkeep(now);
    }
    lastReview = now;
  }

  return {
    settle: () => {
      const now = gaps.look();
      settle(now);
      return now;
    },
    review,
    trouble: wrongClock.trouble,
  };
}
