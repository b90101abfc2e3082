// The wrong clock: when stored instants lie in the future nothing is due until it gets there (R26). How far ahead they lie,
// for how long, and how they are pulled back when that goes on.

import { type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import { durationInWords } from "../../domain/wording/spoken-time.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import type { EngineContext } from "../record.ts";
import type { Announcer } from "../telling/announce.ts";
import { type Named, raiseNotices } from "../telling/notices.ts";
import { tellUnheard } from "../telling/unheard-notice.ts";
import type { Turns } from "../turns.ts";
import type { GapTracker } from "./gap-tracker.ts";
import type { NewestInstant } from "./newest-instant.ts";
import { rebaseOne } from "./wake.ts";

/** Instants that lie less far ahead are reached soon. */
const AHEAD_MAX = MINUTE;
const PATIENCE = 10 * MINUTE;
/** Monitors put right in one transaction. */
const MONITORS_A_TURN = 100;

export interface WrongClock {
  /** Pulls stored instants back when they have lain in the future for too long. */
  review(now: Instant): void;
  /** What is wrong, for people; null when nothing is. */
  trouble(now: Instant): string | null;
}

/** R26: how far the clock was set back, in milliseconds. `exact` false: at least so far. */
interface Step {
  readonly backMs: number;
  readonly exact: boolean;
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
  const { context, clock, gaps, committer, newest, memory, announcer, turns } = parts;
  const { store } = context;
  const { ahead } = newest;
  /** When it was first seen, by both clocks: only the monotonic one can be believed. */
  let since: {
    readonly at: Instant;
    readonly monotonic: number;
    readonly aheadMs: number;
    readonly offset: number;
  } | null = null;
  /** How far the wall clock stood before the other one while nothing was wrong; null: not seen yet. */
  let rightOffset: number | null = null;
  let told = false;
  let correcting = false;

  function review(now: Instant): void {
    if (correcting) return;
    if (ahead(now) <= AHEAD_MAX) {
      since = null;
      rightOffset = offset();
      told = false;
      return;
    }
    since ??= { at: now, monotonic: clock.monotonic(), aheadMs: ahead(now), offset: offset() };
    if (clock.monotonic() - since.monotonic < PATIENCE) return;
    const step = stepBack(since);
    if (!told) tell(since.at, step);
    pullBack(store.monitors.ids(), step.backMs);
  }

  const offset = (): number => clock.now() - clock.monotonic();

  /** By how much the clock was set back; where no process has seen it both before and after, as much as is certain. */
  function stepBack(first: { readonly aheadMs: number; readonly offset: number }): Step {
    if (rightOffset !== null) return { backMs: toSecond(rightOffset - offset()), exact: true };
    return { backMs: toSecond(first.aheadMs + first.offset - offset()), exact: false };
  }

  /** First of all, since whatever is pulled back cannot be told any more once the process is gone. Gaps go with it. */
  function tell(seenAt: Instant, step: Step): void {
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
    told = true;
    gaps.wasCut(cutAt);
    announcer.notices(raised);
  }

  /** Some a turn. What an error leaves undone is taken up by the next review. */
  function pullBack(ids: readonly number[], backMs: number): void {
    correcting = false;
    const now = clock.now();
    memory.finish(memory.applyToEach(ids.slice(0, MONITORS_A_TURN), (id) => rebaseOne(context, id, now, backMs), now));
    const left = ids.slice(MONITORS_A_TURN);
    correcting = left.length > 0;
    if (correcting) return turns.later(() => pullBack(left, backMs));
    // Also where a row cannot be read: it must not keep us from being ready.
    newest.pulledBack(now);
  }

  return {
    review,
    trouble: (now) =>
      ahead(now) <= AHEAD_MAX
        ? null
        : `the clock is ${durationInWords(ahead(now))} behind the newest stored time, until then nothing is missed; ` +
          `after 10 minutes stored times are pulled back`,
  };
}

/** Two clocks never agree to the millisecond. */
const toSecond = (milliseconds: number): number => Math.round(milliseconds / SECOND) * SECOND;
