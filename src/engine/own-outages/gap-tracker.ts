// Keeps the gaps: the times in which rollcall could not hear reports (R26). It finds them whenever it reads the clocks.
// The next transaction writes them. They stay in memory until no monitor is in doubt because of them. It judges no
// monitor; clock/doubts.ts finds the monitors in doubt.

import { RETRY_AFTER_GAP, TRANSIT } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import { type FoundGap, gapSince, oneGap } from "../../domain/monitor/gap.ts";
import type { Gap, Monitor } from "../../domain/monitor/monitor.ts";
import { earliestWindow } from "../../domain/monitor/window.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";
import { createGapList, type GapList } from "./gap-list.ts";
import type { LivedClock } from "./lived-clock.ts";
import type { Pulse } from "./pulse.ts";

const ALIVE_EVERY = 10 * SECOND;

export interface Gaps {
  /**
   * The gaps with monitors that are still to be judged, from the earliest to the latest; no two overlap. Those found
   * since the last commit are among them.
   */
  undecided(): readonly FoundGap[];
  /** All gaps that ended at `from` or later, and all undecided ones. Must be called in a transaction. */
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

  /** Adds the gap before this start: from the last sign of life of the earlier process until now. */
  function start(): void {
    list.load(rows.undecided(), rows.lastId());
    const lastAliveAt = liveness.lastAliveAt();
    if (lastAliveAt !== null) finder.absent(lastAliveAt, restored.read() === null ? "stopped" : "restored");
  }

  /**
   * Writes gaps that are new or have changed. Must be called first in each transaction. The transaction may be repeated
   * or rolled back; `saved` is called after its commit.
   */
  function save(): void {
    for (const one of list.tracked()) if (!one.isSaved) rows.save(one);
    alive.save(finder.lookedAt());
  }

  function saved(): void {
    alive.saved();
    const news = list.tracked().some(({ isSaved, isLogged }) => !isSaved || !isLogged);
    if (!news) return;
    // A gap that may still grow is logged later, when it has ended.
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
    /** The gaps that may still leave monitors in doubt, from the earliest gap to the latest. */
    tracked: list.tracked,
    /** Returns the gaps that ended a minute before `now` or earlier. By then clients have sent their reports again. */
    overBy: (now: Instant) => list.tracked().filter(({ gap }) => gap.to + RETRY_AFTER_GAP <= now),
    /** Notes that `clock/doubts.ts` has begun to search for the monitors that these gaps leave in doubt. */
    searching: (ids: readonly number[]) => list.mark(({ id }) => (ids.includes(id) ? { search: "under way" } : {})),
    /**
     * Notes that the search has ended that `searching` noted. If a gap has changed since the search began,
     * `clock/doubts.ts` searches again for its monitors.
     */
    searched: () => list.mark(({ search }) => (search === "under way" ? { search: "done" } : {})),
    searchAgain: () => list.mark(() => ({ search: "wanted" })),
    /**
     * Puts off the notice of what this gap left unknown: while monitors are still in doubt, it is not sent before `at`.
     * Once no monitor is in doubt, `at` does not matter.
     */
    tellNotBefore: (id: number, at: Instant) => list.mark((one) => (one.id === id ? { tellAt: at } : {})),
    /** Stores that a notice tells what this gap left unknown so far. Must be called in a transaction. */
    tell: rows.markNotified,
    /** Stores that these gaps leave no monitor in doubt any more. Must be called in a transaction. */
    decide: (ids: readonly number[], at: Instant) => {
      for (const id of ids) rows.decide(id, at);
    },
    /**
     * Forgets gaps that leave no monitor in doubt. Must be called after the commit of the transaction in which `decide`
     * was called.
     */
    decided: list.forget,
    /**
     * Deletes the gaps after an instant, because a wrong clock made them; a gap that goes beyond the instant then ends
     * there. Must be called in a transaction; `wasCut` follows after its commit.
     */
    cut: rows.cut,
    wasCut: list.cut,
    /**
     * Stores that reports were heard until `deafSince`, so that the next start makes a gap from then on. Must be called
     * in a transaction.
     */
    stop: (deafSince: Instant) => liveness.saveAlive(deafSince, lived.text()),
  };
}

function logGaps(list: GapList, log: Log): void {
  for (const { gap, isLogged } of list.tracked()) {
    const { from, to, reason, outages, silentMs } = gap;
    if (!isLogged) log("warn", "gap", { reason, from: toIso(from), to: toIso(to), times: outages, silentMs });
  }
}

/** Stores every ten seconds that this process is alive, so that the next start knows the last sign of life. */
function createAlive({ liveness }: GapTrackerParts["store"], clock: Clock, lived: LivedClock) {
  /** When the next sign of life must be written, by the monotonic clock. */
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

// Below: finds gaps. There are four kinds: this process stood still, its clock was moved forward, reports could not be
// stored, or no process was running.

/**
 * The seconds directly after a gap. Requests that the gap has delayed arrive in them, so they count as part of the gap.
 */
interface Echo {
  readonly since: Instant;
  readonly until: Instant;
  /** Where the gap ends so far: when the newest request came in these seconds after the gap. */
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

  /** Reads the clocks, finds gaps, and returns the present time. Must be called before any monitor is judged. */
  function look(): Instant {
    lookedAt = clock.now();
    const found = pulse();
    if (found !== null) {
      list.add(found);
      echo = { since: found.to, until: found.to + TRANSIT, end: found.to };
    }
    if (lookedAt > echo.end && lookedAt <= echo.until) {
      // Requests that waited during the gap arrive only now, so the gap is extended to now. A start among them then
      // lies inside the gap, so the gap explains a missing end of its run.
      list.prolong(echo.end, lookedAt);
      echo = { ...echo, end: lookedAt };
    }
    if (losingSince !== null) list.add(oneGap(Math.min(losingSince, lookedAt), lookedAt, "storage"));
    return lookedAt;
  }

  return {
    look,
    lookedAt: () => lookedAt,
    /**
     * Adds the gap in which no process was running, from `since` until now. After a restore it is the time whose
     * reports are not in the backup.
     */
    absent: (since: Instant, reason: "stopped" | "restored"): void => {
      const absence = gapSince(since, clock.now(), reason);
      if (absence !== null) list.add(absence);
    },
    /**
     * Notes that a report, which came at `since`, was not stored. A gap goes on from then until a report is stored
     * again.
     */
    lost: (since: Instant): void => {
      losingSince ??= since;
    },
    stored: (): void => {
      losingSince = null;
    },
    /** Whether the newest gap may still grow. It cannot when the clock was set back to before the gap's end. */
    goesOn: () => losingSince !== null || (lookedAt >= echo.since && lookedAt <= echo.until),
  };
}

/**
 * Returns the gaps (times in which rollcall could not hear) that count when this monitor is judged. Usually only gaps
 * with monitors still to be judged count. During an incident, its missed slots are counted later (R23). A slot in a gap
 * was not missed (R26), so earlier gaps count too while an incident is open. Must be called in a transaction.
 */
export const gapsAbout = (
  { gaps }: { readonly gaps: Gaps },
  { incident, expectedAt, watch }: Monitor,
): readonly Gap[] =>
  incident === null || expectedAt === null
    ? gaps.undecided()
    : gaps.since(earliestWindow(watch, Math.min(expectedAt, incident.expectedAt ?? expectedAt)));
