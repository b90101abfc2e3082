// Who looks at a page: whom a trusted proxy names, where the configuration says that one does, or else the person whose
// session the request's cookie names.

import type { People } from "../../engine/people/people.ts";
import type { Entrance } from "../../http/pages.ts";
import { isLive } from "../live/live-path.ts";
import type { ViewerOf } from "../viewer.ts";
import { cookieIn } from "./cookie.ts";

/** `header`: in which a proxy names the person; null: none does. */
export const signedInViewers =
  (people: Pick<People, "sessionOf" | "named">, header: string | null) =>
  (entrance: Entrance): ViewerOf =>
  (request, socket) => {
    const address = entrance.clientOf(request, socket);
    const named = header !== null && entrance.isByProxy(request, socket) ? request.headers.get(header) : null;
    if (named !== null) {
      // Several headers of this name, of which the client may have sent one, come as one with a comma: no name has that.
      const person = people.named(named);
      return person === null ? null : { ...person, sessionId: null, address };
    }
    const token = cookieIn(request, "session", entrance.isSecure(request, socket));
    const session = token === null ? null : people.sessionOf(token, !isLive(request));
    return session === null ? null : { ...session.person, sessionId: session.id, address };
  };
