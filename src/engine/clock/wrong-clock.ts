// The wrong clock: when stored instants lie in the future, nothing is due until the clock gets there (R26). If that
// lasts, we tell people and pull the instants back. domain/monitor/wrong-clock.ts says how long it must last.

import { CLOCK_UNSEEN, clockSeen, isBehind, type SetBack, setBack } from "../../domain/monitor/wrong-clock.ts";
import type { Instant } from "../../domain/time.ts";
import { durationInWords } from "../../domain/wording/spoken-time.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import type { Announcer } from "../telling/announce.ts";
import { type Named, raiseNotices } from "../telling/notices.ts";
import { tellUnheard } from "../telling/unheard-notice.ts";
import type { Turns } from "../turns.ts";
import type { GapTracker } from "./gap-tracker.ts";
import type { NewestInstant } from "./newest-instant.ts";
import { rebaseOne } from "./wake.ts";

/** Monitors put right in one transaction. */
const MONITORS_A_TURN = 100;

export interface WrongClock {
  /** Pulls stored instants back when they have lain in the future for too long. */
  review(now: Instant): void;
  /** The trouble, for people; null when there is none. */
  trouble(now: Instant): string | null;
}

interface WrongClockParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly newest: NewestInstant;
  readonly memory: MonitorMemory;
  readonly announcer: Announcer;
  readonly turns: Turns;
}

export function createWrongClock(parts: WrongClockParts): WrongClock {
  const { context, clock, newest } = parts;
  const pullBack = createPullBack(parts);
  let stand = CLOCK_UNSEEN;
  let isTold = false;

  function review(now: Instant): void {
    if (pullBack.goesOn()) return;
    const look = { at: clock.now(), monotonic: clock.monotonic() };
    stand = clockSeen(stand, look, newest.ahead(now));
    if (stand.behind === null) isTold = false;
    const step = setBack(stand, look);
    if (step === null) return;
    // First of all: if the process ends after a pull-back, nobody can report it any more.
    if (!isTold) tell(parts, stand.behind!.at, step);
    isTold = true;
    pullBack.begin(context.store.monitors.ids(), step.backMs);
  }

  return {
    review,
    trouble: (now) =>
      isBehind(newest.ahead(now))
        ? `the clock is ${durationInWords(newest.ahead(now))} behind the newest stored time, until then nothing is missed; ` +
          "after 10 minutes stored times are pulled back"
        : null,
  };
}

/** Includes what gaps of the wrong clock left unknown, because it is deleted with them. */
function tell({ context, gaps, committer, announcer }: WrongClockParts, seenAt: Instant, step: SetBack): void {
  const { store } = context;
  const { raised, cutAt } = committer.one((now) => {
    // Runs begin anew at this instant, or some turns later: either way no gap of the wrong clock touches them.
    const before = now - 1;
    const unreached = gaps.tracked().filter(({ gap }) => gap.from > before);
    const ofGaps = unreached.flatMap((each) => tellUnheard(context, each, now));
    const noticeOf = ({ length }: readonly Named[]) =>
      ({ kind: "clock", ...step, since: seenAt, monitors: length }) as const;
    const ofClock = raiseNotices(context, store.monitors.changedAfter(now), noticeOf, now);
    gaps.cut(before);
    return { raised: [...ofGaps, ...ofClock], cutAt: before };
  });
  gaps.wasCut(cutAt);
  announcer.notices(raised);
}

/** Pulls monitors back, some in each turn. The next review continues after an error. */
function createPullBack({ context, clock, newest, memory, turns }: WrongClockParts) {
  let goesOn = false;

  function begin(ids: readonly number[], backMs: number): void {
    turns.inStretches(ids, MONITORS_A_TURN, (stretch, isLast) => {
      goesOn = false;
      const now = clock.now();
      memory.finish(memory.applyToEach(stretch, (id) => rebaseOne(context, id, now, backMs), now));
      goesOn = !isLast;
      // An unreadable row must not keep us from being ready.
      if (isLast) newest.pulledBack(now);
    });
  }

  return { begin, goesOn: () => goesOn };
}
