// The doubts a gap leaves: which monitors have had a slot or run to be judged since before it ended (R26). When none has any
// more the gap is decided, and what it left unknown is told. Looks at stored monitors; changes none.

import { isDecided } from "../../domain/monitor/doubt.ts";
import { undecidedSince, wakeAt } from "../../domain/monitor/settle.ts";
import type { Instant } from "../../domain/time.ts";
import type { Committer } from "../committer.ts";
import { loadMonitor } from "../monitor-records.ts";
import type { EngineContext } from "../record.ts";
import type { Announcer } from "../telling/announce.ts";
import { tellUnheard } from "../telling/unheard-notice.ts";
import type { Turns } from "../turns.ts";
import type { TrackedGap } from "./gap-list.ts";
import type { GapTracker } from "./gap-tracker.ts";

/** Monitors looked at in one turn of the event loop. */
const MONITORS_A_TURN = 200;
/** Gaps decided in one turn. */
const GAPS_A_TURN = 20;
/** How many gaps are kept. The oldest beyond are decided early; younger ones leave most of the same monitors in doubt. */
const GAPS_MAX = 1_000;

export interface Doubts {
  /** Looks for monitors in doubt, some a turn, and decides the gaps that leave no doubt any more. */
  review(now: Instant): void;
  /** Something changed about this monitor: what was doubtful may have been judged. */
  touch(monitorId: number): void;
}

interface Suspect {
  /** Since when something about it is undecided. */
  readonly since: Instant;
  /** When time changes it next; what is due by then has not been judged. */
  readonly wakeAt: Instant;
}

interface DoubtsParts {
  readonly context: EngineContext;
  readonly gaps: GapTracker;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly turns: Turns;
}

/** Keeps the monitors that gaps leave in doubt; a new process finds them again. */
export function createDoubts({ context, gaps, committer, announcer, turns }: DoubtsParts): Doubts {
  /** Monitors that the gaps searched leave in doubt. */
  const suspects = new Map<number, Suspect>();
  const touched = new Set<number>();
  let looking = false;

  /** Not before clients have had time to retry: until then nothing can have been judged by a gap. */
  function review(now: Instant): void {
    if (looking) return;
    const over = gaps.overBy(now);
    if (over.length === 0) return;
    const isKnown = over.every(({ search }) => search === "done");
    const ids = isKnown ? [...touched] : context.store.monitors.ids();
    if (!isKnown) {
      suspects.clear();
      gaps.searching(over.map(({ id }) => id));
    }
    touched.clear();
    lookAt(ids, over.at(-1)!.gap.to, now);
  }

  function lookAt(ids: readonly number[], newestEnd: Instant, now: Instant): void {
    for (const id of ids.slice(0, MONITORS_A_TURN)) {
      const suspect = suspectOf(id, now);
      if (suspect === null || suspect.since > newestEnd) suspects.delete(id);
      else suspects.set(id, suspect);
    }
    const left = ids.slice(MONITORS_A_TURN);
    looking = left.length > 0;
    if (looking) return turns.later(() => lookAt(left, newestEnd, now));
    gaps.searched();
    decideFree();
  }

  function decideFree(): void {
    const known = gaps.tracked();
    let oldest = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const { since, wakeAt } of suspects.values()) {
      oldest = Math.min(oldest, since);
      next = Math.min(next, wakeAt);
    }
    const free = known.filter(
      ({ gap, search }, place) =>
        search === "done" && (isDecided(gap, oldest, next) || place < known.length - GAPS_MAX),
    );
    if (free.length > 0) decide(free.slice(0, GAPS_A_TURN));
  }

  function decide(free: readonly TrackedGap[]): void {
    const ids = free.map(({ id }) => id);
    const raised = committer.one((now) => {
      gaps.decide(ids, now);
      return free.flatMap((each) => tellUnheard(context, each, now));
    });
    gaps.decided(ids);
    announcer.notices(raised);
  }

  /** One that cannot be read must not keep the others waiting. */
  function suspectOf(id: number, now: Instant): Suspect | null {
    try {
      const record = loadMonitor(context, id);
      const since = record === null ? null : undecidedSince(record.monitor, now);
      if (record === null || since === null) return null;
      return { since, wakeAt: wakeAt(record.monitor, gaps.undecided()) ?? Number.POSITIVE_INFINITY };
    } catch {
      return null;
    }
  }

  return {
    review,
    touch: (monitorId) => {
      if (suspects.has(monitorId)) touched.add(monitorId);
    },
  };
}
