// Destinations at which messages are stuck: they have waited long there, and nobody can say that they will go soon. Reads
// only.

import { type Instant, MINUTE } from "../domain/time.ts";
import type { ViewSource } from "./context.ts";

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
