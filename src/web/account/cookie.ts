// Reads and writes the cookies about people. `session` has the token of a session. `journey` ties the return from a
// sign-in provider to the browser that was sent there. `browser` marks a browser in which a person has signed in. Over
// HTTPS the prefix `__Host-` of their names keeps other hosts from setting them; a plain name is accepted only on a
// request over plain HTTP.

import { createHmac, timingSafeEqual } from "node:crypto";
import { SESSION_MAX } from "../../domain/people/sign-in.ts";
import { DAY, SECOND } from "../../domain/time.ts";
import type { KnownPerson, People } from "../../engine/people/person-accounts.ts";
import { isSameSecret } from "../../engine/same-secret.ts";
import type { RequestOrigin, Socket } from "../../http/handler.ts";
import { isLiveRequest } from "../live/live-part.tsx";
import type { ViewerOf } from "../viewer.ts";
import { PROVIDER_STATE_SPAN } from "./oidc.ts";

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

const cookieName = (cookie: Cookie, isSecure: boolean): string => (isSecure ? SECURE_NAMES : PLAIN_NAMES)[cookie];

/** The value of the cookie that the browser sent; `null` when it sent none. */
export function cookieIn({ headers }: Pick<Request, "headers">, cookie: Cookie, isSecure: boolean): string | null {
  const name = cookieName(cookie, isSecure);
  for (const pair of headers.get("cookie")?.split(";") ?? []) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value !== undefined) return value;
  }
  return null;
}

/**
 * The header that sets a cookie for this many seconds. No script can read the cookie, and no page of another site sends
 * it along with a form.
 */
const cookieHeader = (cookie: Cookie, value: string, isSecure: boolean, seconds: number): string =>
  `${cookieName(cookie, isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

export const sessionCookie = (token: string | null, isSecure: boolean): string =>
  cookieHeader("session", token ?? "", isSecure, token === null ? 0 : SESSION_MAX / SECOND);

/** The header that sets the cookie `browser` to a mark of `newMark`. The cookie outlasts the browser's sessions. */
export const browserCookie = (mark: string, isSecure: boolean): string =>
  cookieHeader("browser", mark, isSecure, (365 * DAY) / SECOND);

export const providerStateCookie = (state: string | null, isSecure: boolean): string =>
  cookieHeader("journey", state ?? "", isSecure, state === null ? 0 : PROVIDER_STATE_SPAN / SECOND);

/** Matches the mark of a browser: an id and a signature, in letters that a cookie can have. */
const MARK = /^([\w-]{16})\.([\w-]{43})$/;

const signed = (personId: number, passwordHash: string, id: string): Buffer =>
  createHmac("sha256", passwordHash).update(`browser ${id} of person ${personId}`).digest();

const ID_LENGTH = 16;

/**
 * Makes a mark for a browser in which the person has signed in. It lets no one in: it only gives the browser its own
 * counter of tries to sign in. The mark is signed with the hash of the person's password. So nothing need be stored,
 * and a new password makes all marks invalid. Returns `null` when the person has no password, because then no one can
 * try passwords. `random` is letters that cannot be guessed.
 */
export function newMark({ id: personId, passwordHash }: KnownPerson, random: string): string | null {
  if (passwordHash === null) return null;
  const id = random.slice(0, ID_LENGTH);
  return `${id}.${signed(personId, passwordHash, id).toString("base64url")}`;
}

/** Returns the browser's id that is in the mark; `null` when the mark is missing or not valid for this person. */
export function markedBrowser({ id: personId, passwordHash }: KnownPerson, mark: string | null): string | null {
  const [, id = "", signature = ""] = MARK.exec(mark ?? "") ?? [];
  if (id === "" || passwordHash === null) return null;
  return timingSafeEqual(Buffer.from(signature, "base64url"), signed(personId, passwordHash, id)) ? id : null;
}

// Finds out who asks for a page: the person whom a trusted proxy names, or otherwise the person whose session is in the
// request's cookie.

export interface ProxySignOn {
  readonly header: string;
  /**
   * A secret that the proxy sends too, so that no other program at the proxy's address can name a person; `null` when
   * the proxy sends none.
   */
  readonly secret: string | null;
  /** Called when a proxy names a person without sending the secret. `client` is the address that sent the request. */
  readonly noteFailure: (client: string) => void;
}

const SECRET_HEADER = "rollcall-proxy-secret";

export const signedInViewers =
  (people: Pick<People, "sessionOf" | "named">, proxy: ProxySignOn | null) =>
  (requestOrigin: RequestOrigin): ViewerOf =>
  (request, socket) => {
    const address = requestOrigin.clientOf(request, socket);
    const named = proxy === null ? null : nameBy(proxy, requestOrigin, request, socket);
    if (named !== null) {
      // When the proxy's header came twice, because the client sent it too, its value has a comma. No person has such a
      // name, so no one is found.
      const person = people.named(named);
      return person === null ? null : { ...person, sessionId: null, address };
    }
    const token = cookieIn(request, "session", requestOrigin.isSecure(request, socket));
    const session = token === null ? null : people.sessionOf(token, !isLiveRequest(request));
    return session === null ? null : { ...session.person, sessionId: session.id, address };
  };

function nameBy(
  { header, secret, noteFailure }: ProxySignOn,
  requestOrigin: RequestOrigin,
  request: Request,
  socket: Socket,
) {
  const named = request.headers.get(header);
  if (named === null || !requestOrigin.isByProxy(request, socket)) return null;
  if (secret === null || isSameSecret(request.headers.get(SECRET_HEADER) ?? "", secret)) return named;
  noteFailure(requestOrigin.clientOf(request, socket));
  return null;
}
