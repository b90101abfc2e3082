// The cookies about people: the token of a session, what ties the way back from a provider to the browser that was sent
// there, and the mark of a browser in which somebody has signed in. Over HTTPS their names keep every other host, also
// a neighbouring one, from setting them; a plain name is taken only where the request itself came over plain HTTP.

import { createHmac, timingSafeEqual } from "node:crypto";
import { SESSION_MAX } from "../../domain/people/session.ts";
import { DAY, SECOND } from "../../domain/time.ts";
import type { KnownPerson } from "../../engine/people/people.ts";
import { JOURNEY_SPAN } from "./oidc.ts";

type Cookie = "session" | "journey" | "browser";

const SECURE_NAMES: Readonly<Record<Cookie, string>> = {
  session: "__Host-rollcall",
  journey: "__Host-rollcall-journey",
  browser: "__Host-rollcall-browser",
};
const PLAIN_NAMES: Readonly<Record<Cookie, string>> = {
  session: "rollcall-session",
  journey: "rollcall-journey",
  browser: "rollcall-browser",
};

const nameOf = (cookie: Cookie, isSecure: boolean): string => (isSecure ? SECURE_NAMES : PLAIN_NAMES)[cookie];

/** What the browser sent; null: nothing. */
export function cookieIn({ headers }: Pick<Request, "headers">, cookie: Cookie, isSecure: boolean): string | null {
  const name = nameOf(cookie, isSecure);
  for (const pair of headers.get("cookie")?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value !== undefined) return value;
  }
  return null;
}

/** No script can read it, and no page of another site sends it along with a form. */
const written = (cookie: Cookie, value: string, isSecure: boolean, seconds: number): string =>
  `${nameOf(cookie, isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/** The value of `Set-Cookie` that begins a session; null: the one that ends it. */
export const sessionCookie = (token: string | null, isSecure: boolean): string =>
  written("session", token ?? "", isSecure, token === null ? 0 : SESSION_MAX / SECOND);

/** The same for the mark of a browser, which outlasts its sessions. */
export const browserCookie = (mark: string, isSecure: boolean): string =>
  written("browser", mark, isSecure, (365 * DAY) / SECOND);

/** The same for the way to a provider and back. */
export const journeyCookie = (state: string | null, isSecure: boolean): string =>
  written("journey", state ?? "", isSecure, state === null ? 0 : JOURNEY_SPAN / SECOND);

/** The mark of a browser: its id and a signature, of letters that a cookie can have. */
const MARK = /^([\w-]{16})\.([\w-]{43})$/;

const signed = (personId: number, passwordHash: string, id: string): Buffer =>
  createHmac("sha256", passwordHash).update(`browser ${id} of person ${personId}`).digest();

const ID_LENGTH = 16;

/**
 * A new mark of a browser in which the person has signed in: it says so to us alone, and lets nobody in. It is made
 * from the hash of the person's password, so nothing is stored, and another password makes all browsers strange again.
 * Null: the person has no password, so tries by password are nothing to them. `random`: letters that nobody can guess.
 */
export function newMark({ id: personId, passwordHash }: KnownPerson, random: string): string | null {
  if (passwordHash === null) return null;
  const id = random.slice(0, ID_LENGTH);
  return `${id}.${signed(personId, passwordHash, id).toString("base64url")}`;
}

/** Which browser of the person this is; null: it has no mark of theirs. */
export function markedBrowser({ id: personId, passwordHash }: KnownPerson, mark: string | null): string | null {
  const [, id = "", signature = ""] = MARK.exec(mark ?? "") ?? [];
  if (id === "" || passwordHash === null) return null;
  return timingSafeEqual(Buffer.from(signature, "base64url"), signed(personId, passwordHash, id)) ? id : null;
}
