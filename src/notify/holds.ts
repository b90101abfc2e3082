// Which destinations are left alone for now, and until when: those that fail, until they are asked again, and those that
// take only so many messages a second. Decides neither how long nor what has failed.

import type { Instant } from "../domain/time.ts";

/** What is known of a destination that fails. */
export interface Trouble {
  readonly answer: string;
  /** When the first attempt failed since one was good, and when the last did. */
  readonly since: Instant;
  readonly at: Instant;
}

export interface Holds {
  isHeld(destination: string): boolean;
  /** Those that are, and until when by the monotonic clock. */
  held(): ReadonlyMap<string, number>;
  /** Since an attempt there at `at`, which ended so; for so long from now nothing need be tried there. */
  failed(destination: string, answer: string, at: Instant, holdMs: number): void;
  works(destination: string): void;
  /** It has just got a message, and asks to be left alone for so long. */
  rest(destination: string, milliseconds: number): void;
  /** It is to be tried though it has just failed. */
  lift(destination: string): void;
  readonly troubles: ReadonlyMap<string, Trouble>;
}

/** `monotonic`: in milliseconds. By a clock of dates one that is set back would hold until the old date returns. */
export function createHolds(monotonic: () => number): Holds {
  const troubles = new Map<string, Trouble>();
  const untilTried = new Map<string, number>();
  const untilRested = new Map<string, number>();

  const endsAt = (destination: string): number =>
    Math.max(untilTried.get(destination) ?? 0, untilRested.get(destination) ?? 0);
  const isHeld = (destination: string): boolean => endsAt(destination) > monotonic();
  const held = (): Map<string, number> =>
    new Map(
      [...untilTried.keys(), ...untilRested.keys()]
        .filter(isHeld)
        .map((destination) => [destination, endsAt(destination)]),
    );

  return {
    isHeld,
    held,
    failed: (destination, answer, at, holdMs) => {
      troubles.set(destination, { answer, since: troubles.get(destination)?.since ?? at, at });
      untilTried.set(destination, monotonic() + holdMs);
    },
    works: (destination) => void troubles.delete(destination),
    rest: (destination, milliseconds) => void untilRested.set(destination, monotonic() + milliseconds),
    lift: (destination) => void untilTried.delete(destination),
    troubles,
  };
}
