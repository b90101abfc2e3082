// Answers the connection of a page that stays open. Knows no page.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Socket } from "../../http/handler.ts";
import { turnedAway } from "../admission.ts";
import type { PagesParts } from "../pages-parts.ts";
import type { Viewer } from "../viewer.ts";
import type { View } from "./live.ts";
import { markOf, type Shown } from "./live-part.tsx";
import { sessionOf } from "./seats.ts";

interface AskedLive {
  readonly request: Request;
  readonly server: Socket;
  readonly viewer: Viewer;
}

/** The same rights as when it was opened; with others the browser connects anew. */
const mayStillLook =
  (viewerOf: PagesParts["viewerOf"], { request, server, viewer }: AskedLive): (() => boolean) =>
  () => {
    const present = viewerOf(request, server);
    return present !== null && rightsOf(present) === rightsOf(viewer);
  };

/** What decides what a viewer sees. */
export const rightsOf = ({ role, applications }: Viewer): string => JSON.stringify([role, applications]);

/** Answers with the changes of a page. `monitorId`: the only monitor that it is about. */
export function liveAnswer(
  parts: PagesParts,
  asked: AskedLive,
  monitorId: number | null,
  look: () => InPieces<Shown>,
): Response {
  const { pathname, searchParams } = new URL(asked.request.url);
  const seen = searchParams.get("seen");
  searchParams.delete("seen");
  const { news } = parts;
  return keptOpen(parts, asked, {
    key: JSON.stringify([pathname, searchParams.toString(), rightsOf(asked.viewer)]),
    prepare: async () => {},
    revision: news.revision,
    look,
    onChange: (wake) => news.onChange(monitorId, wake),
    isSeen: (shown) => markOf(shown) === seen,
  });
}

/** Answers with what changes in a view for as long as the browser listens, if it may stay open. */
export function keptOpen(
  { watch, viewerOf, stopping, seats, openStream, after }: PagesParts,
  asked: AskedLive,
  view: Omit<View, "session" | "mayLook">,
): Response {
  const { viewer, request } = asked;
  const full = seats.refuse(viewer);
  if (full !== null) return turnedAway(full);
  const leave = seats.take(viewer);
  const watched = { ...view, session: sessionOf(viewer), mayLook: mayStillLook(viewerOf, asked) };
  return openStream({ stopping, gone: request.signal, after, left: leave }, (sink) => watch(watched, sink));
}
