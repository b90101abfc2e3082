// Remembers each destination's last attempts, and which destinations to leave alone until when.

import { HOUR, type Instant } from "../domain/time.ts";
import type { Verdict } from "./channel.ts";

export interface KnownFailure {
  readonly answer: string;
  /** When the first attempt since the last good one failed, and when the latest did. */
  readonly since: Instant;
  readonly at: Instant;
  /** It wants something repaired there or here, so that a network that is back says nothing about it. */
  readonly blocked: boolean;
}

export type Holds = ReturnType<typeof createHolds>;

/** A destination that took a message within this time takes messages. */
const LATELY = HOUR;
/** After this number of different refusals in a row, their content is not the fault. */
const REFUSED_MAX = 16;

/** `monotonic`: in milliseconds. A clock of dates that is set back would hold until the old date returns. */
export function createHolds(monotonic: () => number) {
  const failures = new Map<string, KnownFailure>();
  const failingBefore = new Map<string, Instant>();
  /** Destinations that have failed, also in an earlier process, and taken no message since. */
  const awaited = new Set<string>();
  const refusals = createRefusals(monotonic);
  const pauses = createPauses(monotonic);
  const tries = new Map<string, number>();

  return {
    isHeld: pauses.isHeld,
    /** Destinations on hold, and until when by the monotonic clock. */
    held: pauses.held,
    /** An attempt at `at` ended so; nothing need be tried there for `holdMs` from now. True: it fails from now on. */
    failed: (
      destination: string,
      { verdict, answer }: Pick<Verdict, "verdict" | "answer">,
      at: Instant,
      holdMs: number,
    ): boolean => {
      const known = failures.get(destination);
      const since = known?.since ?? failingBefore.get(destination) ?? at;
      failures.set(destination, { answer, since, at, blocked: verdict === "blocked" });
      const tried = tries.get(destination);
      if (tried !== undefined) tries.set(destination, tried + 1);
      pauses.hold(destination, holdMs);
      awaited.add(destination);
      return known === undefined;
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
    /** It answered, and the failure was not its fault. True: the first such answer since it failed. */
    answered: (destination: string): boolean => {
      tries.delete(destination);
      return failures.delete(destination);
    },
    ...putOffs(),
    /** This one works again, so the network may be back: the others that may work now. */
    mayWork: (because: string): readonly string[] => {
      const mayWork = (one: string): boolean => one !== because && failures.get(one)?.blocked !== true;
      const found = [...awaited].filter(mayWork);
      for (const destination of found) tries.set(destination, 0);
      return found;
    },
    /** How often it has failed since the network may be back; null: that it is back was not shown. */
    triesSince: (destination: string): number | null => tries.get(destination) ?? null,
    refused: refusals.refused,
    refusesMessages: refusals.refusesMessages,
    refusesAll: refusals.refusesAll,
    /** It has just taken a message and asks for a pause this long. */
    rest: pauses.rest,
    /** Try it even though it has just failed. */
    lift: pauses.lift,
    /** Its settings have changed: it is tried at once, as after a restart. */
    forget: (destination: string): void => {
      const since = failures.get(destination)?.since;
      if (since !== undefined) failingBefore.set(destination, since);
      failures.delete(destination);
      refusals.forget(destination);
      pauses.lift(destination);
    },
    /** Since when these failed in an earlier process: they still do until one takes a message. */
    remember: (failingSince: ReadonlyMap<string, Instant>): void => {
      for (const [destination, since] of failingSince) {
        failingBefore.set(destination, since);
        awaited.add(destination);
      }
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
    held: (): ReadonlyMap<string, number> =>
      new Map(
        [...untilTried.keys(), ...untilRested.keys()]
          .filter(isHeld)
          .map((destination) => [destination, endsAt(destination)]),
      ),
    hold: (destination: string, milliseconds: number) => void untilTried.set(destination, monotonic() + milliseconds),
    rest: (destination: string, milliseconds: number) => void untilRested.set(destination, monotonic() + milliseconds),
    lift: (destination: string) => void untilTried.delete(destination),
  };
}

function putOffs() {
  const known = new Map<string, Set<string>>();
  return {
    /** It put off what is for this recipient alone. */
    putOff: (destination: string, recipient: string) =>
      void known.set(destination, (known.get(destination) ?? new Set()).add(recipient)),
    /** It took a message for this recipient. True: the first since it put one off. */
    tookFor: (destination: string, recipient: string) => known.get(destination)?.delete(recipient) ?? false,
  };
}

function createRefusals(monotonic: () => number) {
  /** Deliveries by destination, since it last took one. */
  const refusals = new Map<string, Set<number>>();
  const tookAt = new Map<string, number>();
  const refusesAll = (destination: string): boolean => (refusals.get(destination)?.size ?? 0) >= REFUSED_MAX;
  return {
    refused: (destination: string, delivery: number): void => {
      const known = refusals.get(destination) ?? new Set();
      if (known.size < REFUSED_MAX) refusals.set(destination, known.add(delivery));
    },
    /** Whether its refusals are about the messages: it took others in the last hour and has refused few since (R36). */
    refusesMessages: (destination: string): boolean => {
      const at = tookAt.get(destination);
      return at !== undefined && monotonic() - at < LATELY && !refusesAll(destination);
    },
    /** Whether it refused so many different deliveries in a row that we need not ask about each. */
    refusesAll,
    took: (destination: string): void => {
      refusals.delete(destination);
      tookAt.set(destination, monotonic());
    },
    forget: (destination: string): void => {
      refusals.delete(destination);
      tookAt.delete(destination);
    },
  };
}
