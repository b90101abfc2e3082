// How each destination fares: whether it takes messages, what waits for it or was given up, and whether that is stuck.
// Changes nothing.

import { type Instant, MINUTE } from "../domain/time.ts";
import type { ViewSource } from "./context.ts";

export interface DestinationHealth {
  readonly name: string;
  /** Mail for each recipient, one message for all, or each incident as a pager takes it. */
  readonly takes: "mail" | "messages" | "incidents";
  /** Since when it takes nothing, and what it answered last; null: it does, or nothing was tried. */
  readonly failing: { readonly since: Instant; readonly answer: string } | null;
  /** At most COUNTED_MOST: then there may be more. */
  readonly waiting: number;
  /** Those that are kept; the same. */
  readonly givenUp: number;
  /** When one of the newest deliveries arrived; null: none did. */
  readonly arrivedAt: Instant | null;
}

/** A page is made at once, and counting a million would hold up reports. */
export const COUNTED_MOST = 5_000;

/** Those that are configured, by name; two bounded queries for each, and one more. Throws what SQLite throws. */
export function destinationsOf({ policy, failing, store }: ViewSource): DestinationHealth[] {
  const fails = failing();
  const arrived = new Map(store.pageLists.arrived().map(({ destination, at }) => [destination, at]));
  return [...policy.destinations].sort(byName).map(([name, { takes }]) => {
    const count = (isGivenUp: 0 | 1): number =>
      store.pageLists.countUnsent({ destination: name, isGivenUp }, { after: 0, limit: COUNTED_MOST }).count;
    const failure = fails.get(name);
    return {
      name,
      takes,
      failing: failure === undefined ? null : { since: failure.since, answer: failure.answer },
      waiting: count(0),
      givenUp: count(1),
      arrivedAt: arrived.get(name) ?? null,
    };
  });
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

// Destinations at which messages are stuck: they have waited long there, and nobody can say that they will go soon.

/** From then on an alert says that it is late (R36). */
const LONG = 15 * MINUTE;

/**
 * By name. What waits for its turn behind others, or for one recipient who is out of reach, is not stuck while its
 * destination takes messages.
 */
export function stuckDestinations({ policy, failing, store }: ViewSource, now: Instant): string[] {
  const fails = failing();
  const arrived = new Map(store.pageLists.arrived().map(({ destination, at }) => [destination, at]));
  return [...policy.destinations.keys()].filter((destination) => {
    const oldest = store.outgoing.oldestUnsent(destination);
    if (oldest === null || oldest > now - LONG) return false;
    if (fails.has(destination)) return true;
    const dueAt = store.outgoing.firstDue(destination);
    const tookLately = (arrived.get(destination) ?? Number.NEGATIVE_INFINITY) > now - LONG;
    return dueAt !== null && dueAt <= now - LONG && !tookLately;
  });
}
