// Signing in by a name and a password: one answer for everything that is wrong, after the same work.

import { createHmac } from "node:crypto";
import { type Refusal, refuse } from "../../domain/errors.ts";
import { boundedMap } from "../../domain/maps.ts";
import { foldedName } from "../../domain/people/person.ts";
import { type Counter, checkPassword, countersOf, judgeTry } from "../../domain/people/sign-in.ts";
import type { Window } from "../../domain/rate-limit.ts";
import type { Clock } from "../../engine/api.ts";
import type { KnownPerson, People } from "../../engine/people/accounts.ts";
import type { Browser, NewSession } from "../../engine/people/open-sessions.ts";
import { siteNetworkOf } from "../../http/https.ts";
import { isPassword } from "../passwords.ts";
import type { FewAtOnce } from "../turns.ts";
import type { Viewer } from "../viewer.ts";
import { markedBrowser } from "./cookie.ts";
import { TRY_LATER } from "./form-parts.tsx";

export type SignedIn =
  | { readonly kind: "in"; readonly session: NewSession }
  | { readonly kind: "wrong" }
  | { readonly kind: "later"; readonly seconds: number };

export interface SignInParts {
  readonly people: People;
  readonly throttle: ReturnType<typeof createSignInThrottle>;
  readonly hashing: FewAtOnce;
  /** Counts a failure in the log; never learns the name, where people type passwords too. */
  readonly noteFailure: (client: string) => void;
}

/** Compared with where there is no password: no one knows a text with this hash. */
const NOBODYS = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(43)}$${"A".repeat(43)}`;

const BUSY_SECONDS = 5;

/** `mark`: of the browser, as its cookie has it; null: it has none. */
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
 * Why the person who is signed in has not given their own password; null: they have. Another person may sit at the
 * screen, so tries are limited.
 */
export async function refusePassword(
  parts: SignInParts,
  { id, name, address }: Viewer,
  password: string,
): Promise<Refusal | null> {
  // Not by the name: others can use up the tries of that.
  const own: Try = { address, name, personId: id, browser: "where they are signed in" };
  const seconds = parts.throttle.take(own);
  if (seconds !== null) return tooManyTries(seconds);
  const isRight = await compare(parts, parts.people.known(name), password);
  if (isRight === null) return TRY_LATER;
  if (!isRight) return refuse("ACCESS_DENIED", "the present password is another");
  parts.throttle.succeeded(own);
  return null;
}

export const tooManyTries = (seconds: number): Refusal =>
  refuse("RATE_LIMIT_EXCEEDED", `too many tries; the next is possible in ${seconds} seconds`);

/** The same work whether or not there is such a person; null: too many wait. */
async function compare({ hashing }: SignInParts, known: KnownPerson | null, password: string): Promise<boolean | null> {
  // No password of such a length was ever taken, which everybody may know.
  if (checkPassword(password) !== null) return false;
  const isRight = await hashing(() => isPassword(password, known?.passwordHash ?? NOBODYS));
  return isRight === null ? null : isRight && known !== null && known.passwordHash !== null;
}

// Who has tried to sign in too often. Forgets everything at a start, and is bounded: what is counted for a name is
// never forgotten for the tries of others, and people who are here are counted as names that no one has.

export interface Try {
  readonly address: string;
  readonly name: string;
  /** Who has that name; null: no one. */
  readonly personId: number | null;
  /** A browser in which this person has signed in before; null: it is none. */
  readonly browser: string | null;
}

const KEPT = 20_000;
const NAME_LENGTH_MAX = 64;
/** Names that no one has share so many counters. To fill them takes more tries than one core can check in an hour. */
const SLOTS = 16_384;

/** `secret`: of this process alone. */
export function createSignInThrottle(clock: Pick<Clock, "monotonic">, secret: string) {
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
    /** Counts one try. Seconds to wait before the next; null: this one may go on. */
    take: (tried: Try) => judge(placesOf(tried)),
    /** The tries of the name are forgotten; those of the network stay, because an attacker may have an account too. */
    succeeded: (tried: Try): void => {
      for (const [counter, key] of placesOf(tried)) if (counter !== "network") mapOf(counter).set(key, []);
    },
    /** As `take`, on the way to a provider or passkey. `isOurs`: from a page of ours, so no other site uses it up. */
    begin: (address: string, isOurs: boolean) =>
      judge([["beginnings", `beginnings ${isOurs} ${siteNetworkOf(address)}`]]),
  };
}
