// What stands around the parts of a page that stays open: it connects, and puts what has changed in its place.

import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import type { InPieces } from "../../domain/in-pieces.ts";
import { readTarget } from "../../http/api/paths.ts";
import { Headline } from "../parts/headline.tsx";
import { Shape } from "../parts/shapes.tsx";
import { markOf, type Shown, shownParts } from "./shown.ts";

export const Live = ({ path, children }: PropsWithChildren<{ path: string }>) => (
  <div hx-sse:connect={path} hx-swap="none">
    <p id="stale" class="trouble" role="status" hidden>
      <Shape health="unknown" />
      <span>
        rollcall has not answered since <time data-as="ago" datetime="1970-01-01T00:00:00Z" />: this page shows how
        things stood then.
      </span>
    </p>
    {children}
  </div>
);

/** A part in its place. */
export const Part = ({ of, id }: { of: Shown; id: string }) => raw(of.parts.get(id) ?? "");

// The addresses of connections that keep pages true, and how a page's own becomes one of them.

export const LIVE = "/live";

/** Whether a page asked by itself: that says nothing about whether a person is there. */
export const isLive = ({ url }: Pick<Request, "url">): boolean => readTarget(url).path.startsWith(`${LIVE}/`);

/** Where a page keeps itself true. `path`: its own, with its search. */
export function livePath(path: string, shown: Shown): string {
  const url = new URL(LIVE + path, "http://localhost");
  url.searchParams.set("seen", markOf(shown));
  return url.pathname + url.search;
}

// What becomes of an open page whose subject is gone: it says so on top, and shows the rest as it was.

export const notHere = (): InPieces<Shown> =>
  shownParts({ headline: <Headline saying={{ sentence: "This is no longer here.", tone: "quiet" }} /> });
