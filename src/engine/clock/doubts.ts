// The doubts a gap leaves: which monitors have an unjudged slot or run from before its end. When none is left, the gap
// is decided and we report what it left unknown. Reads stored monitors; changes none.

import { isDecided } from "../../domain/monitor/doubt.ts";
import type { Instant } from "../../domain/time.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import { type InStretches, piecesOf } from "../reads/in-stretches.ts";
import type { Announcer } from "../telling/announce.ts";
import { findUnheard, tellUnheard } from "../telling/unheard-notice.ts";
import type { Turns } from "../turns.ts";
import type { TrackedGap } from "./gap-list.ts";
import type { GapTracker } from "./gap-tracker.ts";
import { createSuspects, type Suspect } from "./suspects.ts";

/** Monitors looked at in one turn of the event loop. */
const MONITORS_A_TURN = 200;
/** Gaps decided in one turn. */
const GAPS_A_TURN = 20;
/** How many gaps we keep; the oldest beyond are decided early. Younger ones leave most of their monitors in doubt. */
const GAPS_MAX = 1_000;

export interface Doubts {
  /** Looks for monitors in doubt, some a turn, and decides the gaps that leave no doubt any more. */
  review(now: Instant): void;
  /** This monitor changed, so its doubts may have been judged. */
  touch(monitorId: number): void;
}

interface DoubtsParts {
  readonly context: EngineContext;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly turns: Turns;
}

export function createDoubts(parts: DoubtsParts): Doubts {
  const { context, gaps, turns } = parts;
  const suspects = createSuspects(context);
  let looking = false;

  /** Not before clients have had time to retry: until then a gap has judged nothing. */
  function review(now: Instant): void {
    if (looking) return;
    const over = gaps.overBy(now);
    if (over.length === 0) return;
    const isKnown = over.every(({ search }) => search === "done");
    const ids = isKnown ? suspects.touched() : context.store.monitors.ids();
    if (!isKnown) gaps.searching(over.map(({ id }) => id));
    suspects.begin(isKnown);
    turns.through(lookAt(ids, over.at(-1)!.gap.to, now));
  }

  function* lookAt(ids: Iterable<number>, newestEnd: Instant, now: Instant): InStretches<void> {
    looking = true;
    try {
      for (const some of piecesOf(ids, MONITORS_A_TURN)) {
        for (const id of some) suspects.look(id, newestEnd, now);
        if (some.length === MONITORS_A_TURN) yield;
      }
      gaps.searched();
      yield* decide(parts, freeOf(gaps.tracked(), suspects.first()));
    } finally {
      // The next review begins anew where an error has ended this one.
      looking = false;
    }
  }

  return { review, touch: suspects.touch };
}

/** Those that are decided, some at once. */
function freeOf(known: readonly TrackedGap[], { since, wakeAt }: Suspect): readonly TrackedGap[] {
  const beyond = known.length - GAPS_MAX;
  return known
    .filter(({ gap, search }, place) => search === "done" && (isDecided(gap, since, wakeAt) || place < beyond))
    .slice(0, GAPS_A_TURN);
}

/** A gap that has changed while we read what it left unknown waits for the next review. */
function* decide({ context, gaps, committer, announcer }: DoubtsParts, free: readonly TrackedGap[]): InStretches<void> {
  if (free.length === 0) return;
  const unheard = yield* findUnheard(context, free);
  const unchanged = unheard.filter(({ id, gap }) => gaps.tracked().some((one) => one.id === id && one.gap === gap));
  const ids = unchanged.map(({ id }) => id);
  const raised = committer.one((now) => {
    gaps.decide(ids, now);
    return unchanged.flatMap((each) => tellUnheard(context, each, now));
  });
  gaps.decided(ids);
  announcer.notices(raised);
}
