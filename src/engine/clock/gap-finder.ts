// Finds gaps at every look (R26): this process stood still, its clock was moved on, reports could not be stored, or no
// process ran before it. The tracker decides what to do with them.

import { TRANSIT } from "../../domain/limits.ts";
import { gapSince, oneGap } from "../../domain/monitor/gap.ts";
import type { Instant } from "../../domain/time.ts";
import type { Clock } from "../api.ts";
import type { GapList } from "./gap-list.ts";
import type { Pulse } from "./pulse.ts";

export interface GapFinder {
  /** To be called before anything is settled; returns the instant up to which to settle. */
  look(): Instant;
  /** When it was last called. */
  lookedAt(): Instant;
  /** No process was alive since this instant, or what it heard since is lost by a restore. */
  absent(since: Instant, reason: "stopped" | "restored"): void;
  /** A report of `since` could not be stored; later ones cannot either until one succeeds. */
  lost(since: Instant): void;
  /** A report could be stored. */
  stored(): void;
  /** Whether the last gap may still grow. */
  goesOn(): boolean;
}

/** Seconds after a gap that the process slept through belong to the gap. */
interface Echo {
  readonly since: Instant;
  readonly until: Instant;
  /** Requests that came until now count. */
  readonly end: Instant;
}

const NO_ECHO: Echo = {
  since: Number.POSITIVE_INFINITY,
  until: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

export function createGapFinder(clock: Clock, pulse: Pulse, list: GapList): GapFinder {
  let lookedAt = clock.now();
  let losingSince: Instant | null = null;
  let echo = NO_ECHO;

  function look(): Instant {
    lookedAt = clock.now();
    const found = pulse();
    if (found !== null) {
      list.add(found);
      echo = { since: found.to, until: found.to + TRANSIT, end: found.to };
    }
    if (lookedAt > echo.end && lookedAt <= echo.until) {
      // Requests that waited meanwhile arrive only now: a start whose end was lost must count as inside the gap.
      list.prolong(echo.end, lookedAt);
      echo = { ...echo, end: lookedAt };
    }
    if (losingSince !== null) list.add(oneGap(Math.min(losingSince, lookedAt), lookedAt, "storage"));
    return lookedAt;
  }

  return {
    look,
    lookedAt: () => lookedAt,
    absent: (since, reason) => {
      const absence = gapSince(since, clock.now(), reason);
      if (absence !== null) list.add(absence);
    },
    lost: (since) => {
      losingSince ??= since;
    },
    stored: () => {
      losingSince = null;
    },
    // The clock was set back past the echo.
    goesOn: () => losingSince !== null || (lookedAt >= echo.since && lookedAt <= echo.until),
  };
}
