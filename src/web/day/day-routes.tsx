// Serves `/day`: what all jobs did in the last day or week, and what they will do next.

import { Elysia } from "elysia";
import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import { SECOND } from "../../domain/time.ts";
import { pageResponse } from "../document.tsx";
import { livePage } from "../live/live-page.ts";
import { Live, livePath, Part, type Shown } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { viewerZone } from "../viewer-zone.ts";
import { type DayView, dayView } from "./day.ts";
import { dayShown } from "./day-shown.tsx";
import { DaySprite } from "./frame.tsx";
import { DAY_PATH, dayPath, readDayQuery } from "./query.ts";

/**
 * How many milliseconds pass at least between two updates of an open page, because making its 50 rows takes as long as
 * storing a thousand reports.
 */
const REST = 3 * SECOND;

export function dayRoutes(parts: PagesParts) {
  const { engine, clock, catchUp } = parts;
  const page = livePage(parts, {
    at: DAY_PATH,
    prepare: catchUp,
    rest: REST,
    look: (asking) => dayView(engine, asking.viewer, readDayQuery(asking.search, clock.now()), viewerZone(asking)),
    shown: dayShown,
    page: dayPage,
  });
  return new Elysia({ name: "day" }).use(signedIn(parts)).get(DAY_PATH, ({ asking }) => page(asking, {}));
}

const dayPage = (asking: Asking, view: DayView, shown: Shown): Response =>
  pageResponse(
    asking,
    { title: "Day", tone: view.headline.tone, path: DAY_PATH },
    <>
      <DaySprite />
      <Around view={view} shown={shown}>
        <Part of={shown} id="headline" />
        <Part of={shown} id="day-controls" />
        {raw(shown.list?.html() ?? "")}
      </Around>
    </>,
  );

/** Keeps the page current, unless its span ended in the past: then only a late report changes anything in it. */
const Around = ({ view, shown, children }: PropsWithChildren<{ view: DayView; shown: Shown }>) =>
  view.span.to < view.now ? <div>{children}</div> : <Live path={livePath(dayPath(view.query), shown)}>{children}</Live>;
