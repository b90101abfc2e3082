// The gap tracker knows when reports could not be heard (R26). It alone keeps gaps, in memory and as rows: it finds
// them whenever it reads the clocks, writes them in the first transaction that uses them, and forgets them once
// decided. It judges no monitor; doubts.ts finds the monitors in doubt.

import { RETRY_AFTER_GAP, TRANSIT } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import { type FoundGap, gapSince, oneGap } from "../../domain/monitor/gap.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";
import { createGapList, type GapList } from "./gap-list.ts";
import type { LivedClock } from "./lived-clock.ts";
import type { Pulse } from "./pulse.ts";

const ALIVE_EVERY = 10 * SECOND;

export interface Gaps {
  /** The undecided gaps, disjoint and ascending, including those found since the last commit. */
  undecided(): readonly FoundGap[];
  /** The undecided gaps, and all gaps that ended at `from` or later. Must be called in a transaction. */
  since(from: Instant): readonly FoundGap[];
}

interface GapTrackerParts {
  readonly store: Pick<Store, "gaps" | "liveness" | "restored">;
  readonly clock: Clock;
  readonly lived: LivedClock;
  readonly pulse: Pulse;
  readonly log: Log;
}

export type GapTracker = ReturnType<typeof createGapTracker>;

export function createGapTracker({ store, clock, lived, pulse, log }: GapTrackerParts) {
  const { gaps: rows, liveness, restored } = store;
  const list = createGapList();
  const finder = createGapFinder(clock, pulse, list);
  const alive = createAlive(store, clock, lived);

  /** Begins with the gap since the earlier process last showed a sign of life. */
  function start(): void {
    list.load(rows.undecided(), rows.lastId());
    const lastAliveAt = liveness.lastAliveAt();
    if (lastAliveAt !== null) finder.absent(lastAliveAt, restored.read() === null ? "stopped" : "restored");
  }

  /** Writes what is new about gaps. Must be called first in a transaction, which may be repeated or undone. */
  function save(): void {
    for (const one of list.tracked()) if (!one.isSaved) rows.save(one);
    alive.save(finder.lookedAt());
  }

  function saved(): void {
    alive.saved();
    const news = list.tracked().some(({ isSaved, isLogged }) => !isSaved || !isLogged);
    if (!news) return;
    // A gap that may still grow is logged when it ends.
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
    /** Whether something must be written: a gap or a sign of life. */
    hasNews: () =>
      alive.isDue() ||
      list.tracked().some(({ isSaved }) => !isSaved) ||
      (list.tracked().some(({ isLogged }) => !isLogged) && !finder.goesOn()),
    save,
    saved,
    /** The undecided gaps in ascending order, each with its number. */
    tracked: list.tracked,
    /** The undecided gaps that ended early enough for clients to have retried. */
    overBy: (now: Instant) => list.tracked().filter(({ gap }) => gap.to + RETRY_AFTER_GAP <= now),
    /** Notes that the search for the monitors that these gaps leave in doubt has begun. */
    searching: (ids: readonly number[]) => list.mark(({ id }) => (ids.includes(id) ? { search: "under way" } : {})),
    /** Notes that the search has ended. A gap that has changed meanwhile still needs one. */
    searched: () => list.mark(({ search }) => (search === "under way" ? { search: "done" } : {})),
    searchAgain: () => list.mark(() => ({ search: "wanted" })),
    /**
     * Notes that what this gap has left unknown need not be told before `at`, as long as other monitors are in doubt.
     */
    tellNotBefore: (id: number, at: Instant) => list.mark((one) => (one.id === id ? { tellAt: at } : {})),
    /** Stores that a notice tells what the gap has left unknown so far. Must be called in a transaction. */
    tell: rows.markNotified,
    /** Stores that these gaps leave nothing in doubt any more. Must be called in a transaction. */
    decide: (ids: readonly number[], at: Instant) => {
      for (const id of ids) rows.decide(id, at);
    },
    /** Forgets these gaps, which no longer judge anything. Must be called after that transaction has committed. */
    decided: list.forget,
    /** Stores that no gap lies after `at`, because the clock had been wrong. Must be called in a transaction. */
    cut: rows.cut,
    wasCut: list.cut,
    /** Stores that reports were heard until `deafSince`, for the next start. Must be called in a transaction. */
    stop: (deafSince: Instant) => liveness.saveAlive(deafSince, lived.text()),
  };
}

function logGaps(list: GapList, log: Log): void {
  for (const { gap, isLogged } of list.tracked()) {
    const { from, to, reason, outages, silentMs } = gap;
    if (!isLogged) log("warn", "gap", { reason, from: toIso(from), to: toIso(to), times: outages, silentMs });
  }
}

/** Writes a sign of life now and then, so that the next start knows since when nothing was heard. */
function createAlive({ liveness }: GapTrackerParts["store"], clock: Clock, lived: LivedClock) {
  /** When the next sign of life is due, by the monotonic clock. */
  let dueAt = Number.NEGATIVE_INFINITY;
  let isWritten = false;
  const isDue = (): boolean => clock.monotonic() >= dueAt;
  return {
    isDue,
    save: (at: Instant): void => {
      isWritten = isDue();
      if (isWritten) liveness.saveAlive(at, lived.text());
    },
    saved: (): void => {
      if (isWritten) dueAt = clock.monotonic() + ALIVE_EVERY;
    },
  };
}

// Finds gaps whenever the clocks are read (R26): this process stood still, its clock was moved forward, reports could
// not be stored, or no process ran before it. The tracker decides what to do with them.

/** The seconds after a gap in which the requests that it delayed arrive. They belong to the gap. */
interface Echo {
  readonly since: Instant;
  readonly until: Instant;
  /** The gap reaches to this instant, because requests came until then. */
  readonly end: Instant;
}

const NO_ECHO: Echo = {
  since: Number.POSITIVE_INFINITY,
  until: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

function createGapFinder(clock: Clock, pulse: Pulse, list: GapList) {
  let lookedAt = clock.now();
  let losingSince: Instant | null = null;
  let echo = NO_ECHO;

  /** Finds gaps, and returns the instant up to which to settle. Must be called before anything is settled. */
  function look(): Instant {
    lookedAt = clock.now();
    const found = pulse();
    if (found !== null) {
      list.add(found);
      echo = { since: found.to, until: found.to + TRANSIT, end: found.to };
    }
    if (lookedAt > echo.end && lookedAt <= echo.until) {
      // Requests that waited during the gap arrive only now, and the gap reaches to here, so that a start whose end was
      // lost counts as inside it.
      list.prolong(echo.end, lookedAt);
      echo = { ...echo, end: lookedAt };
    }
    if (losingSince !== null) list.add(oneGap(Math.min(losingSince, lookedAt), lookedAt, "storage"));
    return lookedAt;
  }

  return {
    look,
    lookedAt: () => lookedAt,
    /** Notes that no process ran since this instant, or that a restore lost what was heard since then. */
    absent: (since: Instant, reason: "stopped" | "restored"): void => {
      const absence = gapSince(since, clock.now(), reason);
      if (absence !== null) list.add(absence);
    },
    /**
     * Notes that a report which came at `since` could not be stored. Later ones cannot be stored either, until one is.
     */
    lost: (since: Instant): void => {
      losingSince ??= since;
    },
    stored: (): void => {
      losingSince = null;
    },
    /** Whether the last gap may still grow. `lookedAt` lies before the echo when the clock was set back. */
    goesOn: () => losingSince !== null || (lookedAt >= echo.since && lookedAt <= echo.until),
  };
}
