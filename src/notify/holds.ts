// Remembers each destination's last attempts: whether it fails, whether a refusal is about the message alone,
// and which are left alone for now and until when. Decides neither how often to try nor what has failed.

import { HOUR, type Instant } from "../domain/time.ts";

/** About a destination that fails. */
export interface KnownFailure {
  readonly answer: string;
  /** When the first attempt failed since one was good, and when the last did. */
  readonly since: Instant;
  readonly at: Instant;
}

export interface Holds {
  isHeld(destination: string): boolean;
  /** Destinations that are held, and until when by the monotonic clock. */
  held(): ReadonlyMap<string, number>;
  /**
   * An attempt there at `at` ended so; for `holdMs` from now nothing need be tried there. True: it fails from
   * now on.
   */
  failed(destination: string, answer: string, at: Instant, holdMs: number): boolean;
  /** It took a message. True: the first since it failed. */
  took(destination: string): boolean;
  /** It answered, and what went wrong was not its fault. */
  answered(destination: string): void;
  /** It refused this delivery, by its id. */
  refused(destination: string, delivery: number): void;
  /** Whether what it refused is about the messages: it took others in the last hour, and few were refused since (R36). */
  refusesMessages(destination: string): boolean;
  /** Whether enough different deliveries were refused in a row that each single one need not be asked about. */
  refusesAll(destination: string): boolean;
  /** It has just got a message, and asks to be left alone for this long. */
  rest(destination: string, milliseconds: number): void;
  /** It is to be tried though it has just failed. */
  lift(destination: string): void;
  /** Since when these failed in an earlier life of the process: so they do still, until one takes a message. */
  remember(failingSince: ReadonlyMap<string, Instant>): void;
  readonly failures: ReadonlyMap<string, KnownFailure>;
}

/** A destination that took a message this lately takes messages. */
const LATELY = HOUR;
/** When this number of different deliveries was refused in a row, the trouble is no longer about their content. */
const REFUSED_MAX = 16;

/** `monotonic`: in milliseconds. By a clock of dates one that is set back would hold until the old date returns. */
export function createHolds(monotonic: () => number): Holds {
  const failures = new Map<string, KnownFailure>();
  const failingBefore = new Map<string, Instant>();
  const tookAt = new Map<string, number>();
  /** Those that have failed, in an earlier life of the process too, and taken no message since. */
  const awaited = new Set<string>();
  /** Deliveries by destination, since it last took one. */
  const refusals = new Map<string, Set<number>>();
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
  const refusesAll = (destination: string): boolean => (refusals.get(destination)?.size ?? 0) >= REFUSED_MAX;

  return {
    isHeld,
    held,
    failed: (destination, answer, at, holdMs) => {
      const known = failures.get(destination);
      const since = known?.since ?? failingBefore.get(destination) ?? at;
      failures.set(destination, { answer, since, at });
      untilTried.set(destination, monotonic() + holdMs);
      awaited.add(destination);
      return known === undefined;
    },
    took: (destination) => {
      failures.delete(destination);
      failingBefore.delete(destination);
      refusals.delete(destination);
      untilTried.delete(destination);
      tookAt.set(destination, monotonic());
      return awaited.delete(destination);
    },
    answered: (destination) => void failures.delete(destination),
    refused: (destination, delivery) => {
      const known = refusals.get(destination) ?? new Set();
      if (known.size < REFUSED_MAX) refusals.set(destination, known.add(delivery));
    },
    refusesMessages: (destination) => {
      const at = tookAt.get(destination);
      return at !== undefined && monotonic() - at < LATELY && !refusesAll(destination);
    },
    refusesAll,
    rest: (destination, milliseconds) => void untilRested.set(destination, monotonic() + milliseconds),
    lift: (destination) => void untilTried.delete(destination),
    remember: (failingSince) => {
      for (const [destination, since] of failingSince) {
        failingBefore.set(destination, since);
        awaited.add(destination);
      }
    },
    failures,
  };
}
