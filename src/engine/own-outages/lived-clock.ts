// Keeps lived time (domain/lived-time.ts) while this process runs, and passes it on to the next process. Everything
// that must know whether the clock has made a step asks here.

import { certainAt, type LivedTime, livedUntil, movedBy, steadyAt, steadyFor } from "../../domain/lived-time.ts";
import type { Instant } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";

export interface LivedClock {
  /**
   * Returns by how much the clock was moved since the last call; negative means back, mostly it is 0. Must be called
   * about once a second.
   */
  look(): number;
  /** The latest time that is believed for something irreversible. */
  certain(): Instant;
  /** The latest time that is believed for the end of something that a person asked for. */
  steady(): Instant;
  /** When this process began, or when the clock last made a step. */
  steadySince(): Instant;
  /** Lived time as JSON, to be stored for the next process. */
  text(): string;
}

/** Makes the clock of lived time. `liveness` is where the earlier process has left its lived time. */
export function createLivedClock({ liveness }: { readonly liveness: LivedText }, clock: Clock): LivedClock {
  const startedAt = clock.monotonic();
  let lookedAt = startedAt;
  const before = livedIn(liveness.lived());
  // How far the clock was moved while no process ran, perhaps for a long time, counts as a step as well.
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

/** Reads stored lived time; `null` when there is none, or none that can be read. The clock is then believed. */
const livedIn = (text: string | null): LivedTime | null =>
  text === null ? null : orElse(null, () => JSON.parse(text) as LivedTime);
