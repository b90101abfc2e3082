// Who has tried to sign in too often, by network and by the name that was given, whether or not there is such a person.
// Bounded; forgets everything at a start.

import { boundedMap } from "../../domain/bounded-map.ts";
import { foldedName } from "../../domain/people/person.ts";
import { ADDRESS_LIMITS, PERSON_LIMITS } from "../../domain/people/sign-in-limits.ts";
import { judgeRate, type RateLimit, type Window } from "../../domain/rate-limit.ts";
import type { Clock } from "../../engine/api.ts";
import { networkOf } from "../../http/network.ts";

export interface SignInThrottle {
  /** Counts one try. Seconds to wait before the next; null: this one may go on. */
  take(address: string, name: string, atHome: boolean): number | null;
  /** The name's tries are forgotten; those of the address stay, because an attacker may have an account too. */
  succeeded(name: string): void;
}

const KEPT = 20_000;
const NAME_LENGTH_MAX = 64;

/** `atHome`: the person has a session at this address. So nobody can shut a person out by trying wrong passwords. */
export function createSignInThrottle(clock: Pick<Clock, "monotonic">): SignInThrottle {
  const addresses = boundedMap<readonly Window[]>(KEPT);
  const names = boundedMap<readonly Window[]>(KEPT);

  function judge(map: typeof addresses, key: string, limits: readonly RateLimit[]): number | null {
    const verdict = judgeRate(limits, map.get(key), clock.monotonic());
    if (!verdict.accepted) return verdict.retryAfterSeconds;
    map.set(key, verdict.windows);
    return null;
  }

  return {
    take: (address, name, atHome) =>
      judge(addresses, networkOf(address), ADDRESS_LIMITS) ??
      (atHome ? null : judge(names, keyOf(name), PERSON_LIMITS)),
    succeeded: (name) => names.set(keyOf(name), []),
  };
}

const keyOf = (name: string): string => foldedName(name.slice(0, NAME_LENGTH_MAX));
