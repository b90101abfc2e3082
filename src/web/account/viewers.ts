// Who looks at a page: whom a trusted proxy names, where the configuration says that one does, or else the person whose
// session the request's cookie names.

import type { People } from "../../engine/people/people.ts";
import { isSameSecret } from "../../http/bearer.ts";
import type { Entrance, Socket } from "../../http/handler.ts";
import { isLive } from "../live/live-part.tsx";
import type { ViewerOf } from "../viewer.ts";
import { cookieIn } from "./cookie.ts";

/** A proxy that signs people in. */
export interface ProxySignOn {
  /** In which it names the person. */
  readonly header: string;
  /** What it sends besides, so that no other program on its address can name anybody; null: nothing. */
  readonly secret: string | null;
  /** Told of a name without the secret; `client`: whose request it was. */
  readonly noteFailure: (client: string) => void;
}

const SECRET_HEADER = "rollcall-proxy-secret";

/** `proxy` null: none signs people in. */
export const signedInViewers =
  (people: Pick<People, "sessionOf" | "named">, proxy: ProxySignOn | null) =>
  (entrance: Entrance): ViewerOf =>
  (request, socket) => {
    const address = entrance.clientOf(request, socket);
    const named = proxy === null ? null : nameBy(proxy, entrance, request, socket);
    if (named !== null) {
      // Several headers of this name, of which the client may have sent one, come as one with a comma: no name has
      // that.
      const person = people.named(named);
      return person === null ? null : { ...person, sessionId: null, address };
    }
    const token = cookieIn(request, "session", entrance.isSecure(request, socket));
    const session = token === null ? null : people.sessionOf(token, !isLive(request));
    return session === null ? null : { ...session.person, sessionId: session.id, address };
  };

/** Null: it names nobody, or is not believed. */
function nameBy({ header, secret, noteFailure }: ProxySignOn, entrance: Entrance, request: Request, socket: Socket) {
  const named = request.headers.get(header);
  if (named === null || !entrance.isByProxy(request, socket)) return null;
  if (secret === null || isSameSecret(request.headers.get(SECRET_HEADER) ?? "", secret)) return named;
  noteFailure(entrance.clientOf(request, socket));
  return null;
}
