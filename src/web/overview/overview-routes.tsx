// `/`, the overview of all jobs, and the connection that keeps it true while it is open.

import { Elysia } from "elysia";
import { pageAnswer } from "../answer.tsx";
import { ringsOf } from "../keys/rings.ts";
import { keptOpen, rightsOf } from "../live/live-page.ts";
import { LIVE } from "../live/live-path.ts";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import type { FirstReportProps } from "./first-report.tsx";
import { overviewOf } from "./overview.ts";
import { OverviewPage } from "./overview-page.tsx";
import { partsOf } from "./parts.tsx";
import { overviewPath, readQuery } from "./query.ts";

const LIVE_PATH = `${LIVE}/overview`;

export function overviewRoutes(parts: PagesParts) {
  const { engine, clock, catchUp } = parts;
  const first = (viewer: Viewer, request: Request): FirstReportProps => ({
    address: parts.address ?? new URL(request.url).origin,
    rings: mayAs(viewer, "admin") ? ringsOf(engine, viewer) : [],
  });
  /** Another start counts revisions from the beginning. */
  const start = clock.now();

  return new Elysia({ name: "overview" })
    .use(signedIn(parts))
    .get("/", async ({ request, viewer }) => {
      await catchUp();
      const revision = engine.board.revision();
      const query = readQuery(new URL(request.url).searchParams);
      const overview = await inTurns(overviewOf(engine, viewer, query));
      const live = new URL(overviewPath(query, LIVE_PATH), "http://localhost");
      live.searchParams.set("seen", `${start}.${revision}`);
      const page = (
        <OverviewPage
          overview={overview}
          viewer={viewer}
          look={lookOf(request)}
          livePath={live.pathname + live.search}
          first={first(viewer, request)}
        />
      );
      return pageAnswer(request, page);
    })
    .get(LIVE_PATH, ({ request, server, viewer }) => {
      const search = new URL(request.url).searchParams;
      const [seenStart, seen] = (search.get("seen") ?? "").split(".");
      const seenRevision = Number(seenStart) === start ? Number(seen) : null;
      const query = readQuery(search);
      const report = first(viewer, request);
      return keptOpen(
        parts,
        { request, server, viewer },
        {
          key: JSON.stringify([LIVE_PATH, query, report, rightsOf(viewer)]),
          prepare: catchUp,
          revision: engine.board.revision,
          *look() {
            return yield* partsOf(yield* overviewOf(engine, viewer, query), viewer, report);
          },
          onChange: engine.board.onChange,
          isSeen: (_: unknown, revision: number) => revision === seenRevision,
        },
      );
    });
}
