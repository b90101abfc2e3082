// Remembers the last attempts at each destination, and until when a destination is left alone.

import type { Instant } from "../domain/time.ts";
import type { KnownDestinations } from "../engine/api.ts";
import type { Verdict } from "./channel.ts";

export interface KnownFailure {
  readonly answer: string;
  /** When the first attempt since the last success failed. `at` is when the latest failed. */
  readonly since: Instant;
  readonly at: Instant;
  /** True when an earlier process saw the failure, so that `at` is not known. */
  readonly remembered?: true;
  /** True when a person must repair something, so that a network that is back says nothing about this destination. */
  readonly blocked: boolean;
}

export type Holds = ReturnType<typeof createHolds>;

/** After how many different messages that a destination refused in a row their content is not the fault. */
const REFUSED_MAX = 16;

/**
 * Makes the memory. `monotonic` gives milliseconds. With a clock of dates, a hold would last until the old date returns
 * when the clock is set back.
 */
export function createHolds(monotonic: () => number) {
  const failures = new Map<string, KnownFailure>();
  const failingBefore = new Map<string, Instant>();
  /** Destinations that have failed, also in an earlier process, and have taken no message since. */
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
     * Notes that an attempt at `at` failed with this verdict, and that nothing need be tried there for `holdMs` from
     * now. It returns true when the failure must be stored.
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
    /**
     * Notes that the destination took a message. It returns true for the first one since the destination began to fail.
     */
    took: (destination: string): boolean => {
      failures.delete(destination);
      failingBefore.delete(destination);
      refusals.took(destination);
      pauses.lift(destination);
      tries.delete(destination);
      return awaited.delete(destination);
    },
    /**
     * Notes that the destination answered, and that the failure was not its fault. It returns since when the
     * destination had failed, or `null` when it had not.
     */
    answered: (destination: string): Instant | null => {
      tries.delete(destination);
      const since = failures.get(destination)?.since ?? null;
      failures.delete(destination);
      return since;
    },
    /**
     * Names the other destinations that may work now, because one works again and the network may therefore be back.
     */
    mayWork: (because: string): readonly string[] => {
      const found = [...awaited].filter((one) => one !== because && failures.get(one)?.blocked !== true);
      for (const destination of found) tries.set(destination, 0);
      return found;
    },
    /**
     * How often the destination has failed since the network may be back; `null` when nothing has shown that it is
     * back.
     */
    triesSince: (destination: string): number | null => tries.get(destination) ?? null,
    /** Forgets a destination whose settings have changed, so that it is tried at once, as after a restart. */
    forget: (destination: string): void => {
      const since = failures.get(destination)?.since;
      if (since !== undefined) failingBefore.set(destination, since);
      failures.delete(destination);
      refusals.forget(destination);
      pauses.lift(destination);
    },
    /**
     * Takes over what an earlier process knew: a destination that failed then still counts as failing until it takes a
     * message.
     */
    remember: ({ failing, takes }: KnownDestinations): void => {
      for (const [destination, { since, answer, blocked }] of failing) {
        failingBefore.set(destination, since);
        awaited.add(destination);
        // No attempts were made while no process ran, so the waits begin again at the shortest.
        if (!blocked) tries.set(destination, 0);
        if (answer !== null) failures.set(destination, { answer, since, at: since, blocked, remembered: true });
      }
      for (const { destination, recipient } of takes) recipients.tookFor(destination, recipient);
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
    /** The destinations on hold, each with its end by the monotonic clock. */
    held: (): ReadonlyMap<string, number> =>
      new Map(
        [...untilTried.keys(), ...untilRested.keys()]
          .filter(isHeld)
          .map((destination) => [destination, endsAt(destination)]),
      ),
    hold: (destination: string, milliseconds: number) => void untilTried.set(destination, monotonic() + milliseconds),
    /** Notes the pause that the destination asks for after each message. */
    rest: (destination: string, milliseconds: number) => void untilRested.set(destination, monotonic() + milliseconds),
    /** Ends the hold, so that the destination is tried although it has just failed. */
    lift: (destination: string) => void untilTried.delete(destination),
  };
}

function createRecipients() {
  const putOff = new Map<string, Set<string>>();
  const taking = new Map<string, Set<string>>();
  const added = (all: Map<string, Set<string>>, destination: string, recipient: string): void =>
    void all.set(destination, (all.get(destination) ?? new Set()).add(recipient));
  return {
    /**
     * Notes that the destination refused a message for this recipient, and said that this is about the recipient alone.
     */
    putOff: (destination: string, recipient: string): void => {
      added(putOff, destination, recipient);
      taking.get(destination)?.delete(recipient);
    },
    /**
     * Notes that the destination took a message for this recipient. It returns true for the first one since it refused
     * one.
     */
    tookFor: (destination: string, recipient: string): boolean => {
      added(taking, destination, recipient);
      return putOff.get(destination)?.delete(recipient) ?? false;
    },
    /**
     * Whether the destination takes messages for another recipient, so that its refusal is about this recipient alone
     * (R36).
     */
    takesForOthers: (destination: string, recipient: string | null): boolean =>
      [...(taking.get(destination) ?? [])].some((other) => other !== recipient),
  };
}

function createRefusalCounts() {
  /** The deliveries that a destination has refused since it last took one, by destination. */
  const inARow = new Map<string, Set<number>>();
  /** How many messages the destination had taken when it first refused a delivery, by destination and delivery. */
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
    /**
     * Whether a refusal is about this message, because the destination has taken another one since it began to refuse
     * this one (R36).
     */
    refusesMessage: (destination: string, delivery: number): boolean => {
      const before = tookBefore.get(destination)?.get(delivery);
      return before !== undefined && takenBy(destination) > before;
    },
    /** Whether the destination refused so many different deliveries in a row that we need not ask about each. */
    refusesAll: (destination: string): boolean => (inARow.get(destination)?.size ?? 0) >= REFUSED_MAX,
    /** Forgets deliveries that have ended, so that their refusals no longer count. */
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
