// How often one network may ask for what is public: far more than any page of badges needs, and too little to guess
// tokens or to keep us busy.

import { boundedMap } from "../../domain/bounded-map.ts";
import { judgeRate, type RateLimit, type Window } from "../../domain/rate-limit.ts";
import { MINUTE } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import { networkOf } from "../../http/network.ts";

const LIMITS: readonly RateLimit[] = [{ setting: "visits from a network in a minute", most: 600, span: MINUTE }];
const KEPT = 20_000;

/** Counts a visit. Null: it may go on; otherwise the seconds until the next may. */
export function createVisits(clock: Pick<Clock, "monotonic">): (address: string) => number | null {
  const networks = boundedMap<readonly Window[]>(KEPT);
  return (address) => {
    const network = networkOf(address);
    const verdict = judgeRate(LIMITS, networks.get(network), clock.monotonic());
    if (!verdict.accepted) return verdict.retryAfterSeconds;
    networks.set(network, verdict.windows);
    return null;
  };
}
