// Signing in by a name and a password: one answer for everything that is wrong, after the same work, so that nobody can
// find out who has an account. Knows no page.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { checkPassword } from "../../domain/people/password.ts";
import type { KnownPerson, People } from "../../engine/people/people.ts";
import type { Browser, NewSession } from "../../engine/people/sessions.ts";
import { isPassword } from "../passwords.ts";
import type { FewAtOnce } from "../turns.ts";
import type { Viewer } from "../viewer.ts";
import { markedBrowser } from "./cookie.ts";
import { TRY_LATER } from "./form-parts.tsx";
import type { SignInThrottle, Try } from "./sign-in-throttle.ts";

export type SignedIn =
  | { readonly kind: "in"; readonly session: NewSession }
  | { readonly kind: "wrong" }
  | { readonly kind: "later"; readonly seconds: number };

export interface SignInParts {
  readonly people: People;
  readonly throttle: SignInThrottle;
  readonly hashing: FewAtOnce;
  /** Counts a failure in the log; never learns the name, where people type passwords too. */
  readonly noteFailure: (client: string) => void;
}

/** Compared with where there is no password: nobody knows a text with this hash. */
const NOBODYS = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(43)}$${"A".repeat(43)}`;

/** When too many sign in at once. */
const BUSY_SECONDS = 5;

const WRONG: SignedIn = { kind: "wrong" };

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
    return WRONG;
  }
  throttle.succeeded(tried);
  return { kind: "in", session };
}

/**
 * Why the person who is signed in has not given their own password; null: they have. Somebody else may sit at the
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
  if (seconds !== null)
    return refuse("RATE_LIMIT_EXCEEDED", `too many tries; the next is possible in ${seconds} seconds`);
  const isRight = await compare(parts, parts.people.known(name), password);
  if (isRight === null) return TRY_LATER;
  if (!isRight) return refuse("ACCESS_DENIED", "the present password is another");
  parts.throttle.succeeded(own);
  return null;
}

/** The same work whether or not there is such a person; null: too many wait. */
async function compare({ hashing }: SignInParts, known: KnownPerson | null, password: string): Promise<boolean | null> {
  // No password of such a length was ever taken, which everybody may know.
  if (checkPassword(password) !== null) return false;
  const isRight = await hashing(() => isPassword(password, known?.passwordHash ?? NOBODYS));
  return isRight === null ? null : isRight && known !== null && known.passwordHash !== null;
}
