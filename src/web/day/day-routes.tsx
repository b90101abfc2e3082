// `/day`: what all jobs did in the last day or week, and what they will do next; and the connection that keeps it true.

import { Elysia } from "elysia";
import { raw } from "hono/html";
import type { PropsWithChildren } from "hono/jsx";
import { SECOND } from "../../domain/time.ts";
import { pageAnswer } from "../document.tsx";
import { type LiveView, slowly } from "../live/live.ts";
import { liveRoute, rightsOf } from "../live/live-page.ts";
import { LIVE, Live, livePath, markOf, Part, type Shown } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { zoneOf } from "../zone.ts";
import { type DayView, dayView } from "./day.ts";
import { dayShown } from "./day-shown.tsx";
import { DaySprite } from "./frame.tsx";
import { DAY_PATH, dayPath, readQuery } from "./query.ts";

/** A look at 50 rows takes as much as a thousand reports. */
const REST = 3 * SECOND;

export function dayRoutes(parts: PagesParts) {
  const { engine, clock, catchUp } = parts;

  const asked = ({ request, search }: Asking) => ({
    query: readQuery(search, clock.now()),
    zone: zoneOf(request, engine.views.viewContext().timezone),
  });

  function live(asking: Asking): LiveView {
    const { viewer, search } = asking;
    const { query, zone } = asked(asking);
    return {
      key: JSON.stringify([DAY_PATH, query, zone, rightsOf(viewer)]),
      prepare: catchUp,
      revision: engine.views.board.revision,
      *look() {
        return yield* dayShown(yield* dayView(engine, viewer, query, zone));
      },
      onChange: slowly(engine.views.board.onChange, REST, parts),
      isSeen: (shown) => markOf(shown) === search.get("seen"),
    };
  }

  return new Elysia({ name: "day" })
    .use(signedIn(parts))
    .get(DAY_PATH, async ({ asking }) => {
      const { query, zone } = asked(asking);
      await catchUp();
      const view = await inTurns(dayView(engine, asking.viewer, query, zone));
      return dayPage(asking, view, await inTurns(dayShown(view)));
    })
    .get(LIVE + DAY_PATH, liveRoute(parts, DAY_PATH, live));
}

// `/day`: what was due, what came, and what comes next: a row for each job, all on one axis.

const dayPage = (asking: Asking, view: DayView, shown: Shown): Response =>
  pageAnswer(
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

/** What is over does not change. */
const Around = ({ view, shown, children }: PropsWithChildren<{ view: DayView; shown: Shown }>) =>
  view.span.to < view.now ? <div>{children}</div> : <Live path={livePath(dayPath(view.query), shown)}>{children}</Live>;
