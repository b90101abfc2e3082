// Remembers each destination's last attempts, and which destinations to leave alone until when.

import type { Instant } from "../domain/time.ts";
import type { KnownDestinations } from "../engine/api.ts";
import type { Verdict } from "./channel.ts";

export interface KnownFailure {
  readonly answer: string;
  /** When the first attempt since the last good one failed, and when the latest did. */
  readonly since: Instant;
  readonly at: Instant;
  /** An earlier process saw it fail, and `at` is not known. */
  readonly remembered?: true;
  /** It wants something repaired there or here, so that a network that is back says nothing about it. */
  readonly blocked: boolean;
}

export type Holds = ReturnType<typeof createHolds>;

/** After this number of different refusals in a row, their content is not the fault. */
const REFUSED_MAX = 16;

/** `monotonic`: in milliseconds. A clock of dates that is set back would hold until the old date returns. */
export function createHolds(monotonic: () => number) {
  const failures = new Map<string, KnownFailure>();
  const failingBefore = new Map<string, Instant>();
  /** Destinations that have failed, also in an earlier process, and taken no message since. */
  const awaited = new Set<string>();
  const refusals = createRefusals();
  const recipients = createRecipients();
  const pauses = createPauses(monotonic);
  const tries = new Map<string, number>();

  return {
    ...refusals,
    ...recipients,
    ...pauses,
    /** An attempt at `at` ended so; nothing need be tried there for `holdMs` from now. True: this is to be stored. */
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
    /** It took a message. True: the first since it began to fail. */
    took: (destination: string): boolean => {
      failures.delete(destination);
      failingBefore.delete(destination);
      refusals.took(destination);
      pauses.lift(destination);
      tries.delete(destination);
      return awaited.delete(destination);
    },
    /** It answered, and the failure was not its fault. Since when it failed; null: it did not. */
    answered: (destination: string): Instant | null => {
      tries.delete(destination);
      const since = failures.get(destination)?.since ?? null;
      failures.delete(destination);
      return since;
    },
    /** This one works again, so the network may be back: the others that may work now. */
    mayWork: (because: string): readonly string[] => {
      const found = [...awaited].filter((one) => one !== because && failures.get(one)?.blocked !== true);
      for (const destination of found) tries.set(destination, 0);
      return found;
    },
    /** How often it has failed since the network may be back; null: that it is back was not shown. */
    triesSince: (destination: string): number | null => tries.get(destination) ?? null,
    /** Its settings have changed: it is tried at once, as after a restart. */
    forget: (destination: string): void => {
      const since = failures.get(destination)?.since;
      if (since !== undefined) failingBefore.set(destination, since);
      failures.delete(destination);
      refusals.forget(destination);
      pauses.lift(destination);
    },
    /** What an earlier process knew: what failed there still does, until it takes a message. */
    remember: ({ failing, takes }: KnownDestinations): void => {
      for (const [destination, { since, answer, blocked }] of failing) {
        failingBefore.set(destination, since);
        awaited.add(destination);
        // Nobody has tried while no process ran, so that the waits begin again.
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
    /** Destinations on hold, and until when by the monotonic clock. */
    held: (): ReadonlyMap<string, number> =>
      new Map(
        [...untilTried.keys(), ...untilRested.keys()]
          .filter(isHeld)
          .map((destination) => [destination, endsAt(destination)]),
      ),
    hold: (destination: string, milliseconds: number) => void untilTried.set(destination, monotonic() + milliseconds),
    /** It has just taken a message and asks for a pause this long. */
    rest: (destination: string, milliseconds: number) => void untilRested.set(destination, monotonic() + milliseconds),
    /** Try it even though it has just failed. */
    lift: (destination: string) => void untilTried.delete(destination),
  };
}

function createRecipients() {
  const putOff = new Map<string, Set<string>>();
  const taking = new Map<string, Set<string>>();
  const added = (all: Map<string, Set<string>>, destination: string, recipient: string): void =>
    void all.set(destination, (all.get(destination) ?? new Set()).add(recipient));
  return {
    /** It took nothing for this recipient, and said that this is about the recipient alone. */
    putOff: (destination: string, recipient: string): void => {
      added(putOff, destination, recipient);
      taking.get(destination)?.delete(recipient);
    },
    /** It took a message for this recipient. True: the first since it put one off. */
    tookFor: (destination: string, recipient: string): boolean => {
      added(taking, destination, recipient);
      return putOff.get(destination)?.delete(recipient) ?? false;
    },
    /** Whether it takes messages for anyone else, so that its refusal is about this recipient alone (R36). */
    takesForOthers: (destination: string, recipient: string | null): boolean =>
      [...(taking.get(destination) ?? [])].some((other) => other !== recipient),
  };
}

function createRefusals() {
  /** Deliveries by destination, since it last took one. */
  const inARow = new Map<string, Set<number>>();
  /** By destination and delivery: how many messages the destination had taken when it first refused this one. */
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
    /** Whether its refusal is about this message: it has taken another one since it began to refuse this one (R36). */
    refusesMessage: (destination: string, delivery: number): boolean => {
      const before = tookBefore.get(destination)?.get(delivery);
      return before !== undefined && takenBy(destination) > before;
    },
    /** Whether it refused so many different deliveries in a row that we need not ask about each. */
    refusesAll: (destination: string): boolean => (inARow.get(destination)?.size ?? 0) >= REFUSED_MAX,
    /** These deliveries have ended, so that what they were answered counts no more. */
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
