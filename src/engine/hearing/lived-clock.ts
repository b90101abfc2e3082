// Keeps lived time (domain/lived-time.ts) over the looks of this process, and hands it on to the next.

import { type LivedTime, livedUntil, settledAt } from "../../domain/lived-time.ts";
import type { Instant } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";

export interface LivedClock {
  /** To be called about once a second. */
  look(): void;
  /** What time it is at least, for what cannot be taken back. */
  settled(): Instant;
  /** To be stored for the next process, as JSON. */
  text(): string;
}

export function createLivedClock({ liveness }: Pick<Store, "liveness">, clock: Clock): LivedClock {
  let lookedAt = clock.monotonic();
  // A process may have been away for long: the clock went on without it, which is a step as well.
  let known = livedUntil(livedIn(liveness.lived()), clock.now(), 0);

  function look(): void {
    const monotonic = clock.monotonic();
    known = livedUntil(known, clock.now(), monotonic - lookedAt);
    lookedAt = monotonic;
  }

  return {
    look,
    settled: () => settledAt(known, clock.now(), clock.monotonic() - lookedAt),
    text: () => JSON.stringify(known),
  };
}

/** Null when none is stored, or none that can be read: then the clock is believed. */
const livedIn = (text: string | null): LivedTime | null =>
  text === null ? null : orElse(null, () => JSON.parse(text) as LivedTime);
