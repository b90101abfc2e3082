// Signing in by a name and a password: one answer for everything that is wrong, after the same work, so that nobody can
// find out who has an account. Knows no page.

import { type Refusal, refuse } from "../../domain/errors.ts";
import { checkPassword } from "../../domain/people/password.ts";
import type { Known, People } from "../../engine/people/people.ts";
import type { Browser, NewSession } from "../../engine/people/sessions.ts";
import { isPassword } from "../passwords.ts";
import type { Viewer } from "../viewer.ts";
import type { FewAtOnce } from "./few-at-once.ts";
import { TRY_LATER } from "./form-parts.tsx";
import type { SignInThrottle } from "./sign-in-throttle.ts";

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

export async function signIn(parts: SignInParts, name: string, password: string, browser: Browser): Promise<SignedIn> {
  const { people, throttle, noteFailure } = parts;
  const known = people.known(name);
  const atHome = known !== null && people.knowsAddress(known.id, browser.address);
  const seconds = throttle.take(browser.address, name, atHome);
  if (seconds !== null) return { kind: "later", seconds };
  const isRight = await compare(parts, known, password);
  if (isRight === null) return { kind: "later", seconds: BUSY_SECONDS };
  const session = isRight && known !== null ? people.signIn(known, browser) : null;
  if (session === null) {
    noteFailure(browser.address);
    return WRONG;
  }
  throttle.succeeded(name);
  return { kind: "in", session };
}

/** Why the person who is signed in has not given their own password; null: they have. Somebody else may sit at the screen, so tries are limited. */
export async function refusePassword(
  parts: SignInParts,
  { id, name, address }: Viewer,
  password: string,
): Promise<Refusal | null> {
  // Not by the name: others can use up the tries of that.
  const own = `#${id}`;
  const seconds = parts.throttle.take(address, own, false);
  if (seconds !== null)
    return refuse("RATE_LIMIT_EXCEEDED", `too many tries; the next is possible in ${seconds} seconds`);
  const isRight = await compare(parts, parts.people.known(name), password);
  if (isRight === null) return TRY_LATER;
  if (!isRight) return refuse("ACCESS_DENIED", "the present password is another");
  parts.throttle.succeeded(own);
  return null;
}

/** The same work whether or not there is such a person; null: too many wait. */
async function compare({ hashing }: SignInParts, known: Known | null, password: string): Promise<boolean | null> {
  // No password of such a length was ever taken, which everybody may know.
  if (checkPassword(password) !== null) return false;
  const isRight = await hashing(() => isPassword(password, known?.passwordHash ?? NOBODYS));
  return isRight === null ? null : isRight && known !== null && known.passwordHash !== null;
}
