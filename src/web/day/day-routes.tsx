// `/day`: what all jobs did in the last day or week, and what they will do next; and the connection that keeps it true.

import { Elysia } from "elysia";
import { SECOND } from "../../domain/time.ts";
import { pageAnswer } from "../answer.tsx";
import { keptOpen, rightsOf } from "../live/live-page.ts";
import { LIVE } from "../live/live-path.ts";
import { markOf, type Shown } from "../live/shown.ts";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { zoneOf } from "../zone.ts";
import { dayView } from "./day.ts";
import { DayPage } from "./day-page.tsx";
import { dayShown } from "./day-shown.tsx";
import { DAY_PATH, readQuery } from "./query.ts";
import { slowly } from "./slowly.ts";

/** A look at 50 lanes takes as much as a thousand reports. */
const REST = 3 * SECOND;

export function dayRoutes(parts: PagesParts) {
  const { engine, clock, catchUp } = parts;

  const asked = (request: Request) => ({
    query: readQuery(new URL(request.url).searchParams, clock.now()),
    zone: zoneOf(request, engine.bearings().timezone),
  });

  return new Elysia({ name: "day" })
    .use(signedIn(parts))
    .get(DAY_PATH, async ({ request, viewer }) => {
      const { query, zone } = asked(request);
      await catchUp();
      const view = await inTurns(dayView(engine, viewer, query, zone));
      const shown = await inTurns(dayShown(view));
      return pageAnswer(request, <DayPage view={view} shown={shown} viewer={viewer} look={lookOf(request)} />);
    })
    .get(LIVE + DAY_PATH, ({ request, server, viewer }) => {
      const { query, zone } = asked(request);
      const seen = new URL(request.url).searchParams.get("seen");
      return keptOpen(
        parts,
        { request, server, viewer },
        {
          key: JSON.stringify([DAY_PATH, query, zone, rightsOf(viewer)]),
          prepare: catchUp,
          revision: engine.board.revision,
          *look() {
            return yield* dayShown(yield* dayView(engine, viewer, query, zone));
          },
          onChange: slowly(engine.board.onChange, REST, parts),
          isSeen: (shown: Shown) => markOf(shown) === seen,
        },
      );
    });
}
