// Signs people in by name and password. The response is the same whether the name or the password is wrong, and takes
// the same work.

import { createHmac } from "node:crypto";
import { type Refusal, refuse } from "../../domain/errors.ts";
import { boundedMap } from "../../domain/maps.ts";
import { foldedPersonName } from "../../domain/people/person.ts";
import { type Counter, checkPassword, countersOf, judgeTry } from "../../domain/people/sign-in.ts";
import type { Window } from "../../domain/rate-limit.ts";
import type { Clock } from "../../engine/api.ts";
import type { KnownPerson, People } from "../../engine/people/person-accounts.ts";
import type { Browser, NewSession } from "../../engine/people/sessions-and-links.ts";
import { peerSiteNetwork } from "../../http/https.ts";
import type { FewAtOnce } from "../few-at-once.ts";
import type { Viewer } from "../viewer.ts";
import { markedBrowser } from "./cookie.ts";
import { TRY_LATER } from "./form-parts.tsx";
import { isPassword } from "./passwords.ts";

export type SignedIn =
  | { readonly kind: "in"; readonly session: NewSession }
  | { readonly kind: "wrong" }
  | { readonly kind: "later"; readonly seconds: number };

export interface SignInParts {
  readonly people: People;
  readonly throttle: ReturnType<typeof createSignInThrottle>;
  readonly hashing: FewAtOnce;
  /**
   * Counts, for the log, a failure to sign in from this client's address. The typed name is not passed on, because
   * people type passwords into the field for the name, too.
   */
  readonly noteFailure: (client: string) => void;
}

/** The hash to compare with when a person does not exist or has no password. No password with this hash is known. */
const HASH_OF_NO_PASSWORD = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(43)}$${"A".repeat(43)}`;

const BUSY_SECONDS = 5;

/**
 * Signs a person in. `mark` is the mark (`newMark`) in the cookie that a browser has once a person has signed in there;
 * `null` when the browser has no such cookie.
 */
export async function signIn(
  parts: SignInParts,
  name: string,
  password: string,
  browser: Browser,
  mark: string | null,
): Promise<SignedIn> {
  const { people, throttle, noteFailure } = parts;
  const known = people.known(name);
  const tried: Try = {
    address: browser.address,
    name,
    personId: known?.id ?? null,
    browser: known && markedBrowser(known, mark),
  };
  const seconds = throttle.take(tried);
  if (seconds !== null) return { kind: "later", seconds };
  const isRight = await compare(parts, known, password);
  if (isRight === null) return { kind: "later", seconds: BUSY_SECONDS };
  const session = isRight && known !== null ? people.signIn(known, browser) : null;
  if (session === null) {
    noteFailure(browser.address);
    return { kind: "wrong" };
  }
  throttle.succeeded(tried);
  return { kind: "in", session };
}

/**
 * Checks the present password of a person who is signed in; returns `null` when it is right. Another person may sit at
 * the screen, so tries are limited.
 */
export async function refusePassword(
  parts: SignInParts,
  { id, name, address }: Viewer,
  password: string,
): Promise<Refusal | null> {
  // The tries count for this browser and not for the name: otherwise anyone could use up the tries of a person's name.
  const own: Try = { address, name, personId: id, browser: "where they are signed in" };
  const seconds = parts.throttle.take(own);
  if (seconds !== null) return tooManySignInTries(seconds);
  const isRight = await compare(parts, parts.people.known(name), password);
  if (isRight === null) return TRY_LATER;
  if (!isRight) return refuse("ACCESS_DENIED", "the present password is another");
  parts.throttle.succeeded(own);
  return null;
}

export const tooManySignInTries = (seconds: number): Refusal =>
  refuse("RATE_LIMIT_EXCEEDED", `too many tries; the next is possible in ${seconds} seconds`);

/**
 * Checks a password, with the same work whether or not there is such a person. Returns `null` when too many passwords
 * wait for their check.
 */
async function compare({ hashing }: SignInParts, known: KnownPerson | null, password: string): Promise<boolean | null> {
  // A password that is too short or too long is refused without being hashed. That reveals nothing, because no such
  // password is ever accepted.
  if (checkPassword(password) !== null) return false;
  const isRight = await hashing(() => isPassword(password, known?.passwordHash ?? HASH_OF_NO_PASSWORD));
  return isRight === null ? null : isRight && known !== null && known.passwordHash !== null;
}

// Counts the tries to sign in and limits them. The counters are in memory, lost when the server stops, and limited in
// number. Tries for other names never drop the counter of a person's name. Names that no person has share a fixed
// number of counters under the same rules, so that tries do not reveal which names exist.

export interface Try {
  readonly address: string;
  readonly name: string;
  /** The id of the person with the typed `name`; `null` when no person has that name. */
  readonly personId: number | null;
  /** The id of a browser in which this person has signed in before; `null` for any other browser. */
  readonly browser: string | null;
}

const KEPT = 20_000;
const NAME_LENGTH_MAX = 64;
/**
 * The number of counters for all names that no person has. Filling them takes more tries than one core can check in an
 * hour.
 */
const SHARED_COUNTERS = 16_384;

/**
 * Makes the part that counts the tries to sign in and says how long a client must wait. `secret` is known to this
 * process alone.
 */
export function createSignInThrottle(clock: Pick<Clock, "monotonic">, secret: string) {
  /** Counters of networks, of names within one network, and of browsers. At most `KEPT` are kept. */
  const here = boundedMap<readonly Window[]>(KEPT);
  /** Counters of names: at most one for each person, and `SHARED_COUNTERS` for all names that no person has. */
  const names = new Map<string, readonly Window[]>();

  /**
   * The number of the counter for a name that no person has. It depends on the secret, so that no guesser can tell
   * which names share one.
   */
  const sharedCounterOf = (name: string): number =>
    createHmac("sha256", secret)
      .update(foldedPersonName(name.slice(0, NAME_LENGTH_MAX)))
      .digest()
      .readUInt32BE() % SHARED_COUNTERS;

  const mapOf = (counter: Counter): Pick<typeof here, "get" | "set"> => (counter === "name" ? names : here);

  function keyOf(counter: Counter, { address, name, personId, browser }: Try): string {
    const who = personId === null ? `shared ${sharedCounterOf(name)}` : `person ${personId}`;
    switch (counter) {
      case "name":
        return who;
      case "nameThere":
        return `${who} ${peerSiteNetwork(address)}`;
      case "browser":
        return `${who} browser ${browser}`;
      case "network":
      case "beginnings":
        return `${counter} ${peerSiteNetwork(address)}`;
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
    /**
     * Counts one try. Returns `null` when this try may go on, otherwise the number of seconds to wait before the next
     * one.
     */
    take: (tried: Try) => judge(placesOf(tried)),
    /**
     * Forgets the tries of the name and of the browser. The tries of the network stay: otherwise an attacker with an
     * account could reset them by signing in.
     */
    succeeded: (tried: Try): void => {
      for (const [counter, key] of placesOf(tried)) if (counter !== "network") mapOf(counter).set(key, []);
    },
    /**
     * Like `take`, for signing in by a provider or with a passkey. `isOurs` says that the request surely came from a
     * page of ours or the address bar. Other requests are counted apart, so that they cannot use up the tries of ours.
     */
    begin: (address: string, isOurs: boolean) =>
      judge([["beginnings", `beginnings ${isOurs} ${peerSiteNetwork(address)}`]]),
  };
}
