// How often people may try to sign in, and where a try is counted. A limit for a name alone would let anyone keep
// its owner out; one for networks alone would let many networks guess at one name.

import { judgeRate, type RateLimit, type Window } from "../rate-limit.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";

/** A network is what one customer has: a /48 of IPv6, a /24 of IPv4. */
export const COUNTERS = {
  /** Whatever the name. */
  network: [
    { setting: "sign-ins from a network in a minute", most: 10, span: MINUTE },
    { setting: "sign-ins from a network in an hour", most: 60, span: HOUR },
  ],
  /** One name from one network. */
  nameThere: [
    { setting: "sign-ins of a person from a network in ten minutes", most: 10, span: 10 * MINUTE },
    { setting: "sign-ins of a person from a network in a day", most: 100, span: DAY },
  ],
  /** One name from all networks: too few for any password that is in no list, more than one network can use up. */
  name: [
    { setting: "sign-ins of a person in an hour", most: 300, span: HOUR },
    { setting: "sign-ins of a person in a day", most: 1_000, span: DAY },
  ],
  /** One person, from a browser in which they have signed in before: what others do elsewhere does not count there. */
  browser: [
    { setting: "sign-ins of a person from a browser in ten minutes", most: 10, span: 10 * MINUTE },
    { setting: "sign-ins of a person from a browser in a day", most: 100, span: DAY },
  ],
  /** Ways to a provider and questions to a passkey that a network begins. */
  beginnings: [
    { setting: "sign-ins begun from a network in a minute", most: 20, span: MINUTE },
    { setting: "sign-ins begun from a network in an hour", most: 200, span: HOUR },
  ],
} as const satisfies Readonly<Record<string, readonly RateLimit[]>>;

export type Counter = keyof typeof COUNTERS;

export const countersOf = (isKnownBrowser: boolean): readonly Counter[] =>
  isKnownBrowser ? ["browser"] : ["network", "nameThere", "name"];

export type CountedTries = readonly (readonly [counter: Counter, windows: readonly Window[] | undefined])[];

/** What each has counted from now on, or the seconds until a try is taken. A try that is refused counts nowhere. */
export function judgeTry(
  counted: CountedTries,
  now: number,
): { readonly windows: readonly (readonly Window[])[] } | { readonly seconds: number } {
  const windows: (readonly Window[])[] = [];
  let seconds = 0;
  for (const [counter, before] of counted) {
    const verdict = judgeRate(COUNTERS[counter], before, now);
    if (verdict.accepted) windows.push(verdict.windows);
    else seconds = Math.max(seconds, verdict.retryAfterSeconds);
  }
  return seconds > 0 ? { seconds } : { windows };
}
