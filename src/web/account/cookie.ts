// The cookies about people: the token of a session, what ties the way back from a provider to the browser that was sent
// there, and the mark of a browser in which a person has signed in. Over HTTPS their names keep every other host, also
// a neighbouring one, from setting them; a plain name is taken only where the request itself came over plain HTTP.

import { createHmac, timingSafeEqual } from "node:crypto";
import { SESSION_MAX } from "../../domain/people/sign-in.ts";
import { DAY, SECOND } from "../../domain/time.ts";
import { isSameSecret } from "../../engine/keyring.ts";
import type { KnownPerson, People } from "../../engine/people/accounts.ts";
import type { Entrance, Socket } from "../../http/handler.ts";
import { isLive } from "../live/live-part.tsx";
import type { ViewerOf } from "../viewer.ts";
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

export const sessionCookie = (token: string | null, isSecure: boolean): string =>
  written("session", token ?? "", isSecure, token === null ? 0 : SESSION_MAX / SECOND);

/** Keeps the mark of a browser, which outlasts its sessions. */
export const browserCookie = (mark: string, isSecure: boolean): string =>
  written("browser", mark, isSecure, (365 * DAY) / SECOND);

export const journeyCookie = (state: string | null, isSecure: boolean): string =>
  written("journey", state ?? "", isSecure, state === null ? 0 : JOURNEY_SPAN / SECOND);

/** The mark of a browser: its id and a signature, of letters that a cookie can have. */
const MARK = /^([\w-]{16})\.([\w-]{43})$/;

const signed = (personId: number, passwordHash: string, id: string): Buffer =>
  createHmac("sha256", passwordHash).update(`browser ${id} of person ${personId}`).digest();

const ID_LENGTH = 16;

/**
 * A new mark of a browser in which the person has signed in: it says so to us alone, and lets no one in. It is made
 * from the hash of the person's password, so nothing is stored, and another password makes all browsers strange again.
 * Null: the person has no password, so tries by password are nothing to them. `random`: letters that cannot be guessed.
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

// Who looks at a page: whom a trusted proxy names, or else the person of the session in the request's cookie.

export interface ProxySignOn {
  readonly header: string;
  /** What it sends besides, so that no other program on its address can name anybody; null: nothing. */
  readonly secret: string | null;
  /** Told of a name without the secret; `client`: whose request it was. */
  readonly noteFailure: (client: string) => void;
}

const SECRET_HEADER = "rollcall-proxy-secret";

export const signedInViewers =
  (people: Pick<People, "sessionOf" | "named">, proxy: ProxySignOn | null) =>
  (entrance: Entrance): ViewerOf =>
  (request, socket) => {
    const address = entrance.clientOf(request, socket);
    const named = proxy === null ? null : nameBy(proxy, entrance, request, socket);
    if (named !== null) {
      // Several headers of this name, of which the client may have sent one, come as one with a comma: no name.
      const person = people.named(named);
      return person === null ? null : { ...person, sessionId: null, address };
    }
    const token = cookieIn(request, "session", entrance.isSecure(request, socket));
    const session = token === null ? null : people.sessionOf(token, !isLive(request));
    return session === null ? null : { ...session.person, sessionId: session.id, address };
  };

function nameBy({ header, secret, noteFailure }: ProxySignOn, entrance: Entrance, request: Request, socket: Socket) {
  const named = request.headers.get(header);
  if (named === null || !entrance.isByProxy(request, socket)) return null;
  if (secret === null || isSameSecret(request.headers.get(SECRET_HEADER) ?? "", secret)) return named;
  noteFailure(entrance.clientOf(request, socket));
  return null;
}
