// Keeps lived time (domain/lived-time.ts) over the looks of this process, and hands it on to the next. Whatever must
// know whether the clock has made a step asks here.

import { type LivedTime, livedUntil, movedBy, settledAt, steadyAt, steadyFor } from "../../domain/lived-time.ts";
import type { Instant } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../api.ts";

export interface LivedClock {
  /** To be called about once a second. Returns by how much the clock was moved since; below 0: back; mostly 0. */
  look(): number;
  /** What time it is at least, for what cannot be taken back. */
  settled(): Instant;
  /** What time it is at least, for the end of what a person asked for. */
  steady(): Instant;
  /** When this process began, or the clock made its last step. */
  steadySince(): Instant;
  /** To be stored for the next process, as JSON. */
  text(): string;
}

/** `liveness`: where the process before has left its lived time. */
export function createLivedClock({ liveness }: { readonly liveness: LivedText }, clock: Clock): LivedClock {
  const startedAt = clock.monotonic();
  let lookedAt = startedAt;
  const before = livedIn(liveness.lived());
  // A process may have been away for long: the clock went on without it, which is a step as well.
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
    settled: () => settledAt(known, clock.now(), passed()),
    steady: () => steadyAt(known, clock.now(), passed()),
    steadySince: () => {
      note();
      return clock.now() - Math.min(clock.monotonic() - startedAt, steadyFor(known, 0));
    },
    text: () => JSON.stringify(known),
  };
}

type LivedText = Pick<Store["liveness"], "lived">;

/** Null when none is stored, or none that can be read: then the clock is believed. */
const livedIn = (text: string | null): LivedTime | null =>
  text === null ? null : orElse(null, () => JSON.parse(text) as LivedTime);
