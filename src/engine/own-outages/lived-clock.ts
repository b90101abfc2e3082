// Tells whether the clock has made a step, and how far the clock may be believed. It counts lived time: how long all
// processes together have run, by the monotonic clock (domain/lived-time.ts). The count is stored for the next process.

import { certainAt, type LivedTime, livedUntil, movedBy, steadyAt, steadyFor } from "../../domain/lived-time.ts";
import type { Instant } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";

export interface LivedClock {
  /**
   * Returns by how many milliseconds the clock was moved since the last call; negative when it was set back, 0 when it
   * made no step. Must be called about once a second.
   */
  look(): number;
  /**
   * Returns the present time. While the clock may be wrong, returns an earlier time: the clock is believed once it has
   * made no step for six hours. The returned time decides what cannot be undone, such as the deletion of old rows.
   */
  certain(): Instant;
  /**
   * Returns the present time. While the clock may be wrong, returns an earlier time: the clock is believed once it has
   * made no step for ten minutes. The returned time decides when something ends that a person asked for, such as a
   * pause.
   */
  steady(): Instant;
  /** When this process began or the clock last made a step, whichever is later. */
  steadySince(): Instant;
  /**
   * The lived time (how long all processes together have run, by the monotonic clock) and when the clock made steps, as
   * JSON. It is stored for the next process.
   */
  text(): string;
}

/** Continues the lived time of the earlier process, which stored its `LivedClock.text()` in the row `liveness`. */
export function createLivedClock({ liveness }: { readonly liveness: LivedText }, clock: Clock): LivedClock {
  const startedAt = clock.monotonic();
  let lookedAt = startedAt;
  const before = livedIn(liveness.lived());
  // A step that the clock made while no process was running counts too.
  let moved = before === null ? 0 : movedBy(before, clock.now(), 0);
  let known = livedUntil(before, clock.now(), 0);
  const passed = (): number => clock.monotonic() - lookedAt;

  function note(): void {
    moved += movedBy(known, clock.now(), passed());
    known = livedUntil(known, clock.now(), passed());
    lookedAt = clock.monotonic();
  }

  return {
    look: () => {
      note();
      const movedSince = moved;
      moved = 0;
      return movedSince;
    },
    certain: () => certainAt(known, clock.now(), passed()),
    steady: () => steadyAt(known, clock.now(), passed()),
    steadySince: () => {
      note();
      return clock.now() - Math.min(clock.monotonic() - startedAt, steadyFor(known, 0));
    },
    text: () => JSON.stringify(known),
  };
}

type LivedText = Pick<Store["liveness"], "lived">;

/**
 * Reads the JSON that the earlier process stored (`LivedClock.text()`). `null` when nothing is stored or it is
 * unreadable: then the clock is believed at once.
 */
const livedIn = (text: string | null): LivedTime | null =>
  text === null ? null : orElse(null, () => JSON.parse(text) as LivedTime);
