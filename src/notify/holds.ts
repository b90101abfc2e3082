// Remembers how the last attempts at each destination ended, and until when a destination is left alone.

import type { Instant } from "../domain/time.ts";
import type { KnownDestinations } from "../engine/api.ts";
import type { Verdict } from "./channel.ts";

export interface KnownFailure {
  readonly answer: string;
  /** When the failure began: at the first failed attempt since the destination last worked. `at` is the latest one. */
  readonly since: Instant;
  readonly at: Instant;
  /** True when the failure was read from the database. The latest attempt is then unknown, and `at` equals `since`. */
  readonly remembered?: true;
  /**
   * True when only a person can repair the destination. Then it is not tried again merely because the network works
   * again.
   */
  readonly blocked: boolean;
}

export type Holds = ReturnType<typeof createHolds>;

/**
 * When a destination has refused this many different messages in a row, the destination is to blame and not the
 * messages.
 */
const REFUSED_MAX = 16;

/**
 * Makes the memory of how the attempts at all destinations ended. `monotonic` returns milliseconds and never jumps: a
 * wall clock that is set back would make a hold longer.
 */
export function createHolds(monotonic: () => number) {
  const failures = new Map<string, KnownFailure>();
  const failingBefore = new Map<string, Instant>();
  /** Destinations that failed, perhaps before this process started, and have taken no message since. */
  const awaited = new Set<string>();
  const refusals = createRefusalCounts();
  const recipients = createRecipients();
  const pauses = createPauses(monotonic);
  const tries = new Map<string, number>();

  return {
    ...refusals,
    ...recipients,
    ...pauses,
    /**
     * Notes that an attempt failed at the instant `at`, and leaves the destination alone for `holdMs` milliseconds from
     * now. Returns true when the failure differs from the one before, so that it must be stored.
     */
    failed: (
      destination: string,
      { verdict, answer }: Pick<Verdict, "verdict" | "answer">,
      at: Instant,
      holdMs: number,
    ): boolean => {
      const known = failures.get(destination);
      const since = known?.since ?? failingBefore.get(destination) ?? at;
      const blocked = verdict === "blocked";
      failures.set(destination, { answer, since, at, blocked });
      const tried = tries.get(destination);
      if (tried !== undefined) tries.set(destination, tried + 1);
      pauses.hold(destination, holdMs);
      awaited.add(destination);
      return known?.answer !== answer || known.blocked !== blocked;
    },
    /** Notes that the destination took a message. Returns true for the first message since the destination failed. */
    took: (destination: string): boolean => {
      failures.delete(destination);
      failingBefore.delete(destination);
      refusals.took(destination);
      pauses.lift(destination);
      tries.delete(destination);
      return awaited.delete(destination);
    },
    /**
     * Notes that the destination works but did not take this message. Returns since when the destination had failed;
     * `null` if it had not.
     */
    answered: (destination: string): Instant | null => {
      tries.delete(destination);
      const since = failures.get(destination)?.since ?? null;
      failures.delete(destination);
      return since;
    },
    /**
     * Called when the destination `because` works again; perhaps the network was down. Returns the other failed
     * destinations, which may work again too. Their waits between attempts begin again with the shortest. Destinations
     * that a person must repair are left out.
     */
    mayWork: (because: string): readonly string[] => {
      const found = [...awaited].filter((one) => one !== because && failures.get(one)?.blocked !== true);
      for (const destination of found) tries.set(destination, 0);
      return found;
    },
    /**
     * Returns how many attempts at this destination failed since the waits between attempts began again with the
     * shortest. They begin again at the start of this process, for a destination that failed before, and when `mayWork`
     * names the destination. `null` when the waits did not begin again, or the destination has worked since.
     */
    triesSince: (destination: string): number | null => tries.get(destination) ?? null,
    /** Forgets the failure of a destination whose settings have changed, so that it is tried at once. */
    forget: (destination: string): void => {
      const since = failures.get(destination)?.since;
      if (since !== undefined) failingBefore.set(destination, since);
      failures.delete(destination);
      refusals.forget(destination);
      pauses.lift(destination);
    },
    /**
     * Takes over what an earlier process stored. A destination that failed then counts as failing until it takes a
     * message.
     */
    remember: ({ failing, recentRecipients }: KnownDestinations): void => {
      for (const [destination, { since, answer, blocked }] of failing) {
        failingBefore.set(destination, since);
        awaited.add(destination);
        // No attempts were made while no process ran, so the waits between attempts begin again with the shortest.
        if (!blocked) tries.set(destination, 0);
        if (answer !== null) failures.set(destination, { answer, since, at: since, blocked, remembered: true });
      }
      for (const { destination, recipient } of recentRecipients) recipients.tookFor(destination, recipient);
    },
    failures: failures as ReadonlyMap<string, KnownFailure>,
  };
}

function createPauses(monotonic: () => number) {
  const untilTried = new Map<string, number>();
  const untilRested = new Map<string, number>();
  const endsAt = (destination: string): number =>
    Math.max(untilTried.get(destination) ?? 0, untilRested.get(destination) ?? 0);
  const isHeld = (destination: string): boolean => endsAt(destination) > monotonic();
  return {
    isHeld,
    /** Returns the destinations that are left alone now, each with the end of that time by the monotonic clock. */
    held: (): ReadonlyMap<string, number> =>
      new Map(
        [...untilTried.keys(), ...untilRested.keys()]
          .filter(isHeld)
          .map((destination) => [destination, endsAt(destination)]),
      ),
    hold: (destination: string, milliseconds: number) => void untilTried.set(destination, monotonic() + milliseconds),
    /** Leaves the destination alone for these milliseconds after a message, as its service asks. */
    rest: (destination: string, milliseconds: number) => void untilRested.set(destination, monotonic() + milliseconds),
    /** Ends the hold that followed a failure, so that the destination is tried at once. */
    lift: (destination: string) => void untilTried.delete(destination),
  };
}

function createRecipients() {
  const putOff = new Map<string, Set<string>>();
  const taking = new Map<string, Set<string>>();
  const added = (all: Map<string, Set<string>>, destination: string, recipient: string): void =>
    void all.set(destination, (all.get(destination) ?? new Set()).add(recipient));
  return {
    /** Notes that the destination refused a message, and said that the reason is this recipient alone. */
    putOff: (destination: string, recipient: string): void => {
      added(putOff, destination, recipient);
      taking.get(destination)?.delete(recipient);
    },
    /**
     * Notes that the destination took a message for this recipient. Returns true if this is the first such message
     * since the destination refused one for this recipient.
     */
    tookFor: (destination: string, recipient: string): boolean => {
      added(taking, destination, recipient);
      return putOff.get(destination)?.delete(recipient) ?? false;
    },
    /** Whether the destination takes messages for another recipient. Then a refusal is about this recipient (R36). */
    takesForOthers: (destination: string, recipient: string | null): boolean =>
      [...(taking.get(destination) ?? [])].some((other) => other !== recipient),
  };
}

function createRefusalCounts() {
  /** The deliveries that a destination has refused since it last took a message, by destination. */
  const inARow = new Map<string, Set<number>>();
  /** How many messages a destination had taken when it first refused a delivery, by destination and delivery. */
  const tookBefore = new Map<string, Map<number, number>>();
  const taken = new Map<string, number>();
  const takenBy = (destination: string): number => taken.get(destination) ?? 0;
  return {
    refused: (destination: string, delivery: number): void => {
      const known = inARow.get(destination) ?? new Set();
      if (known.size < REFUSED_MAX) inARow.set(destination, known.add(delivery));
      const first = tookBefore.get(destination) ?? new Map<number, number>();
      if (!first.has(delivery)) tookBefore.set(destination, first.set(delivery, takenBy(destination)));
    },
    /** Whether this message is to blame: the destination took another one since it first refused this one (R36). */
    refusesMessage: (destination: string, delivery: number): boolean => {
      const before = tookBefore.get(destination)?.get(delivery);
      return before !== undefined && takenBy(destination) > before;
    },
    /** Whether the destination has refused 16 different deliveries in a row, so that it counts as refusing all. */
    refusesAll: (destination: string): boolean => (inARow.get(destination)?.size ?? 0) >= REFUSED_MAX,
    /** Forgets that the destination refused these deliveries, because the deliveries have ended. */
    ended: (destination: string, deliveries: readonly number[]): void => {
      for (const delivery of deliveries) tookBefore.get(destination)?.delete(delivery);
    },
    took: (destination: string): void => {
      inARow.delete(destination);
      taken.set(destination, takenBy(destination) + 1);
    },
    forget: (destination: string): void => {
      inARow.delete(destination);
      tookBefore.delete(destination);
    },
  };
}
