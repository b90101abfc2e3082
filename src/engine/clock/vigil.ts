// The vigil: when we ourselves could not hear (R26). It finds gaps at every look, keeps those that are still undecided,
// and writes what it found in the transaction that would settle anything by it. It judges no monitor.

import { TRANSIT } from "../../domain/limits.ts";
import type { Log } from "../../domain/log.ts";
import { type FoundGap, gapSince, joined, oneGap, uncovered, withEcho } from "../../domain/monitor/gap.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import type { GapRows } from "../../store/gaps.ts";
import type { Clock } from "../api.ts";
import type { Pulse } from "./pulse.ts";

/** How often it is written down that we are alive (R26). */
const ALIVE_EVERY = 10 * SECOND;

export interface Vigil {
  /** Undecided gaps, disjoint and ascending, as the domain wants them; also those found since the last commit. */
  gaps(): readonly FoundGap[];
  /** To be called before anything is settled; answers the instant by which it may be. */
  look(): Instant;
  /** Whether something should be written soon: a gap, or that we are alive. */
  hasNews(): boolean;
  /** Writes the news. To be called first in a transaction, which may be repeated or undone. */
  save(): void;
  /** That transaction has been committed. */
  saved(): void;
  /** A report of `since` could not be kept, nor can what comes after it until one was. */
  lost(since: Instant): void;
  /** A report could be kept. */
  kept(): void;
  /** Begins with the gap since the process before this one was last alive. */
  start(): void;
  /** Writes that we heard until `deafSince`, so that the next start knows. To be called in a transaction. */
  stop(deafSince: Instant): void;
  /** Forgets a gap that touches nothing undecided any more. To be called after that is stored. */
  forget(gap: FoundGap): void;
  /** The clock had been wrong: no gap lies after `now`. To be called after that is stored. */
  cut(now: Instant): void;
}

export function createVigil(rows: GapRows, clock: Clock, pulse: Pulse, log: Log): Vigil {
  let known: readonly FoundGap[] = [];
  /** Of `known`, those whose row is missing or too short. */
  let unsaved: readonly FoundGap[] = [];
  /** Of `known`, those not logged yet: one that goes on is told when it is over. */
  let untold: readonly FoundGap[] = [];
  let lookedAt = clock.now();
  let losingSince: Instant | null = null;
  /** After a gap that the running process slept through, what of the next seconds belongs to it still. */
  let echo = { since: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY, from: Number.POSITIVE_INFINITY };
  /** On the monotonic clock. */
  let aliveDue = Number.NEGATIVE_INFINITY;
  let savesAlive = false;

  function look(): Instant {
    lookedAt = clock.now();
    const found = pulse();
    if (found !== null) {
      add(found);
      echo = { since: found.to, until: found.to + TRANSIT, from: found.to + 1 };
    }
    if (lookedAt >= echo.from && lookedAt <= echo.until) {
      // What waited at the door meanwhile comes in only now: a start of which the end was lost must count as of the gap.
      addEcho(lookedAt);
      echo = { ...echo, from: lookedAt + 1 };
    }
    if (losingSince !== null) add(oneGap(Math.min(losingSince, lookedAt), lookedAt, "storage"));
    return lookedAt;
  }

  function add(found: FoundGap): void {
    for (const piece of uncovered(known, found)) {
      const before = known.findLast(({ to }) => to < piece.from);
      replace(before, joined(before, piece));
    }
  }

  function addEcho(to: Instant): void {
    const gap = known.find((earlier) => earlier.to === echo.from - 1);
    const isFree = known.every(({ from }) => from < echo.from || from > to);
    if (gap !== undefined && isFree) replace(gap, [withEcho(gap, to)]);
  }

  function replace(gap: FoundGap | undefined, by: readonly FoundGap[]): void {
    const others = known.filter((one) => one !== gap);
    const fresh = by.filter((one) => one !== gap);
    const stale = by.includes(gap!) ? undefined : gap;
    unsaved = [...unsaved.filter((one) => one !== stale), ...fresh];
    untold = [...untold.filter((one) => one !== stale), ...fresh];
    known = [...others, ...by].sort((a, b) => a.from - b.from);
  }

  function save(): void {
    for (const gap of unsaved) rows.save(gap);
    savesAlive = isAliveDue();
    if (savesAlive) rows.saveAlive(lookedAt);
  }

  function saved(): void {
    if (savesAlive) aliveDue = clock.monotonic() + ALIVE_EVERY;
    unsaved = [];
    if (goesOnStill()) return;
    for (const { from, to, reason, outages, silentMs } of untold)
      log("warn", "gap", { reason, from: toIso(from), to: toIso(to), times: outages, silentMs });
    untold = [];
  }

  /** Whether what was found last may become longer. A clock that was set back has left the echo behind. */
  const goesOnStill = (): boolean => losingSince !== null || (lookedAt >= echo.since && lookedAt <= echo.until);

  const isAliveDue = (): boolean => clock.monotonic() >= aliveDue;

  return {
    gaps: () => known,
    look,
    hasNews: () => unsaved.length > 0 || isAliveDue() || (untold.length > 0 && !goesOnStill()),
    save,
    saved,
    lost: (since) => {
      losingSince ??= since;
    },
    kept: () => {
      losingSince = null;
    },
    start: () => {
      known = rows.undecided();
      const lastAliveAt = rows.lastAliveAt();
      const absence = lastAliveAt === null ? null : gapSince(lastAliveAt, clock.now());
      if (absence !== null) add(absence);
    },
    stop: (deafSince) => rows.saveAlive(deafSince),
    forget: (gap) => {
      known = known.filter(({ from }) => from !== gap.from);
    },
    cut: (now) => {
      known = known.flatMap((gap) =>
        gap.from > now ? [] : [{ ...gap, to: Math.min(gap.to, now), silentTo: Math.min(gap.silentTo, now) }],
      );
    },
  };
}
