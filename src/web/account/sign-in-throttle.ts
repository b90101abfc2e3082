// Who has tried to sign in too often. Forgets everything at a start, and is bounded: what is counted for a name is
// forgotten for nobody else's tries, and people who are here are counted as names that nobody has.

import { createHmac } from "node:crypto";
import { boundedMap } from "../../domain/bounded-map.ts";
import { foldedName } from "../../domain/people/person.ts";
import { type Counter, countersOf, judgeTry } from "../../domain/people/sign-in-limits.ts";
import type { Window } from "../../domain/rate-limit.ts";
import type { Clock } from "../../engine/api.ts";
import { siteNetworkOf } from "../../http/https.ts";

/** A try by password. */
export interface Try {
  readonly address: string;
  /** As it was given. */
  readonly name: string;
  /** Who has that name; null: nobody. */
  readonly personId: number | null;
  /** A browser in which this person has signed in before; null: it is none. */
  readonly browser: string | null;
}

export interface SignInThrottle {
  /** Counts one try. Seconds to wait before the next; null: this one may go on. */
  take(tried: Try): number | null;
  /** The tries of the name are forgotten; those of the network stay, because an attacker may have an account too. */
  succeeded(tried: Try): void;
  /**
   * The same of the way to a provider, or to a passkey. `isOurs`: it surely comes from a page of ours, so no other site
   * can use it up.
   */
  begin(address: string, isOurs: boolean): number | null;
}

const KEPT = 20_000;
const NAME_LENGTH_MAX = 64;
/** Names of nobody share so many counters. More tries than one core can check in an hour would have to fill them. */
const SLOTS = 16_384;

/** `secret`: of this process alone. */
export function createSignInThrottle(clock: Pick<Clock, "monotonic">, secret: string): SignInThrottle {
  /** Of networks, and of what happens in one. */
  const here = boundedMap<readonly Window[]>(KEPT);
  /** Of names; there are no more than people and slots. */
  const names = new Map<string, readonly Window[]>();

  /** No guesser can tell which names share a slot. */
  const slotOf = (name: string): number =>
    createHmac("sha256", secret)
      .update(foldedName(name.slice(0, NAME_LENGTH_MAX)))
      .digest()
      .readUInt32BE() % SLOTS;

  const mapOf = (counter: Counter): Pick<typeof here, "get" | "set"> => (counter === "name" ? names : here);

  function keyOf(counter: Counter, { address, name, personId, browser }: Try): string {
    const who = personId === null ? `slot ${slotOf(name)}` : `person ${personId}`;
    switch (counter) {
      case "name":
        return who;
      case "nameThere":
        return `${who} ${siteNetworkOf(address)}`;
      case "browser":
        return `${who} browser ${browser}`;
      case "network":
      case "beginnings":
        return `${counter} ${siteNetworkOf(address)}`;
      default:
        return counter satisfies never;
    }
  }

  function judge(places: readonly (readonly [counter: Counter, key: string])[]): number | null {
    const counted = places.map(([counter, key]) => [counter, mapOf(counter).get(key)] as const);
    const verdict = judgeTry(counted, clock.monotonic());
    if ("seconds" in verdict) return verdict.seconds;
    for (const [place, [counter, key]] of places.entries()) mapOf(counter).set(key, verdict.windows[place]!);
    return null;
  }

  const placesOf = (tried: Try) =>
    countersOf(tried.browser !== null).map((counter) => [counter, keyOf(counter, tried)] as const);

  return {
    take: (tried) => judge(placesOf(tried)),
    succeeded: (tried) => {
      for (const [counter, key] of placesOf(tried)) if (counter !== "network") mapOf(counter).set(key, []);
    },
    begin: (address, isOurs) => judge([["beginnings", `beginnings ${isOurs} ${siteNetworkOf(address)}`]]),
  };
}
