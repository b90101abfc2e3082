// The gap tracker: when we ourselves could not hear (R26). It alone keeps gaps, in memory and as rows: it finds them at every
// look, writes them in the transaction that would settle anything by them, and forgets them once they are decided. It judges
// no monitor; doubts.ts finds which ones a gap leaves in doubt.

import { RETRY_AFTER_GAP } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import type { FoundGap } from "../../domain/monitor/gap.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";
import { createGapFinder, type GapFinder } from "./gap-finder.ts";
import { createGapList, type GapList, type TrackedGap } from "./gap-list.ts";
import type { Pulse } from "./pulse.ts";

/** How often it is written down that we are alive. */
const ALIVE_EVERY = 10 * SECOND;

/** The gaps that something may be judged by. */
export interface Gaps {
  /** Undecided, disjoint and ascending, as the domain wants them; also those found since the last commit. */
  undecided(): readonly FoundGap[];
  /** The same and all that ended at `from` or later. To be called in a transaction. */
  since(from: Instant): readonly FoundGap[];
}

export interface GapTracker extends Gaps, Pick<GapFinder, "look" | "lost"> {
  /** Begins with the gap since the process before this one was last alive. */
  start(): void;
  /** Whether something should be written soon: a gap, or that we are alive. */
  hasNews(): boolean;
  /** Writes the news. To be called first in a transaction, which may be repeated or undone. */
  save(): void;
  /** That transaction has been committed. */
  saved(): void;
  /** A report could be stored. */
  stored(): void;
  /** Undecided, ascending, each with its number. */
  tracked(): readonly TrackedGap[];
  /** The same, of those that were over early enough for clients to have retried. */
  overBy(now: Instant): readonly TrackedGap[];
  /** The monitors that these gaps leave in doubt are looked for. */
  searching(ids: readonly number[]): void;
  /** They are known. Of a gap that has changed meanwhile they are not. */
  searched(): void;
  /** They are looked for once more, for all gaps. */
  searchAgain(): void;
  /** Writes that nothing is in doubt any more because of these gaps. To be called in a transaction. */
  decide(ids: readonly number[], at: Instant): void;
  /** That has been committed: nothing is judged by them any more. */
  decided(ids: readonly number[]): void;
  /** Writes that no gap lies after `at`, for the clock had been wrong. To be called in a transaction. */
  cut(at: Instant): void;
  /** That has been committed. */
  wasCut(at: Instant): void;
  /** Writes that we heard until `deafSince`, so that the next start knows. To be called in a transaction. */
  stop(deafSince: Instant): void;
}

interface GapTrackerParts {
  readonly store: Pick<Store, "gaps" | "liveness">;
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly log: Log;
}

export function createGapTracker({ store, clock, pulse, log }: GapTrackerParts): GapTracker {
  const { gaps: rows, liveness } = store;
  const list = createGapList();
  const finder = createGapFinder(clock, pulse, list);
  const alive = createAlive(store, clock);

  function start(): void {
    list.load(rows.undecided(), rows.lastId());
    const lastAliveAt = liveness.lastAliveAt();
    if (lastAliveAt !== null) finder.absent(lastAliveAt);
  }

  function save(): void {
    for (const one of list.tracked()) if (!one.isSaved) rows.save(one);
    alive.save(finder.lookedAt());
  }

  function saved(): void {
    alive.saved();
    const news = list.tracked().some(({ isSaved, isLogged }) => !isSaved || !isLogged);
    if (!news) return;
    // One that goes on is logged when it is over.
    const isLogged = !finder.goesOn();
    if (isLogged) logGaps(list, log);
    list.mark((one) => ({ isSaved: true, isLogged: one.isLogged || isLogged }));
  }

  return {
    undecided: list.gaps,
    since: rows.since,
    look: finder.look,
    lost: finder.lost,
    stored: finder.stored,
    start,
    hasNews: () =>
      alive.isDue() ||
      list.tracked().some(({ isSaved }) => !isSaved) ||
      (list.tracked().some(({ isLogged }) => !isLogged) && !finder.goesOn()),
    save,
    saved,
    tracked: list.tracked,
    overBy: (now) => list.tracked().filter(({ gap }) => gap.to + RETRY_AFTER_GAP <= now),
    searching: (ids) => list.mark(({ id }) => (ids.includes(id) ? { search: "under way" } : {})),
    searched: () => list.mark(({ search }) => (search === "under way" ? { search: "done" } : {})),
    searchAgain: () => list.mark(() => ({ search: "wanted" })),
    decide: (ids, at) => {
      for (const id of ids) rows.decide(id, at);
    },
    decided: list.forget,
    cut: rows.cut,
    wasCut: list.cut,
    stop: liveness.saveAlive,
  };
}

function logGaps(list: GapList, log: Log): void {
  for (const { gap, isLogged } of list.tracked()) {
    const { from, to, reason, outages, silentMs } = gap;
    if (!isLogged) log("warn", "gap", { reason, from: toIso(from), to: toIso(to), times: outages, silentMs });
  }
}

/** That we are alive is written now and then, so that a start knows since when nobody heard. */
function createAlive({ liveness }: GapTrackerParts["store"], clock: Clock) {
  /** On the monotonic clock. */
  let dueAt = Number.NEGATIVE_INFINITY;
  let isWritten = false;
  const isDue = (): boolean => clock.monotonic() >= dueAt;
  return {
    isDue,
    save: (at: Instant): void => {
      isWritten = isDue();
      if (isWritten) liveness.saveAlive(at);
    },
    saved: (): void => {
      if (isWritten) dueAt = clock.monotonic() + ALIVE_EVERY;
    },
  };
}
