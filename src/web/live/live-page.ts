// The pages that stay open, and the connections that keep them true. Knows no page.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { turnedAway } from "../admission.ts";
import type { PagesParts } from "../pages-parts.ts";
import type { Asking } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import type { Viewer } from "../viewer.ts";
import type { View } from "./live.ts";
import { markOf, notHere, type Shown } from "./live-part.tsx";
import { sessionOf } from "./seats.ts";

interface LivePage<Seen, Params> {
  /** What the page shows now, or why it cannot be seen. */
  readonly look: (asking: Asking, params: Params) => InPieces<Seen | Refusal>;
  /** What changes of it while it is open. */
  readonly shown: (seen: Seen, viewer: Viewer) => InPieces<Shown>;
  readonly page: (asking: Asking, seen: Seen, shown: Shown) => Response;
  /** The only monitor that it is about; absent: it is about all. */
  readonly monitorOf?: (asking: Asking, params: Params) => number | null | Refusal;
}

/** What the address of a page answers, and that of its connection. */
export function livePage<Seen extends object, Params = object>(
  parts: PagesParts,
  { look, shown, page, monitorOf = () => null }: LivePage<Seen, Params>,
) {
  function* made(asking: Asking, params: Params): InPieces<Response | Refusal> {
    const seen = yield* look(asking, params);
    if (isRefusal(seen)) return seen;
    const changing = yield* shown(seen, asking.viewer);
    yield;
    return page(asking, seen, changing);
  }

  function connected(asking: Asking, params: Params): Response | Refusal {
    const monitorId = monitorOf(asking, params);
    if (isRefusal(monitorId)) return monitorId;
    const search = new URLSearchParams(asking.search);
    search.delete("seen");
    return keptOpen(parts, asking, {
      key: JSON.stringify([new URL(asking.request.url).pathname, search.toString(), rightsOf(asking.viewer)]),
      prepare: async () => {},
      revision: parts.news.revision,
      *look() {
        const seen = yield* look(asking, params);
        return yield* isRefusal(seen) ? notHere() : shown(seen, asking.viewer);
      },
      onChange: (wake) => parts.news.onChange(monitorId, wake),
      isSeen: (changing) => markOf(changing) === asking.search.get("seen"),
    });
  }

  return { page: (asking: Asking, params: Params) => inTurns(made(asking, params)), live: connected };
}

/** What decides what a viewer sees. */
export const rightsOf = ({ role, applications }: Viewer): string => JSON.stringify([role, applications]);

/** Answers with what changes in a view for as long as the browser listens, if it may stay open. */
export function keptOpen(
  { watch, viewerOf, stopping, seats, openStream, after }: PagesParts,
  { request, server, viewer }: Asking,
  view: Omit<View, "session" | "mayLook">,
): Response {
  const full = seats.refuse(viewer);
  if (full !== null) return turnedAway(full);
  /** The same rights as when it was opened; with others the browser connects again. */
  const mayLook = (): boolean => {
    const present = viewerOf(request, server);
    return present !== null && rightsOf(present) === rightsOf(viewer);
  };
  const watched = { ...view, session: sessionOf(viewer), mayLook };
  const ends = { stopping, gone: request.signal, after, left: seats.take(viewer) };
  return openStream(ends, (sink) => watch(watched, sink));
}
