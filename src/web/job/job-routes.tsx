// `/jobs/APPLICATION/KEY`: everything that is known of one job.

import { Elysia } from "elysia";
import { isRefusal } from "../../domain/errors.ts";
import { pageAnswer } from "../answer.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor } from "../viewer.ts";
import { JobPage } from "./job-page.tsx";

/** As many as the chart has room for. */
const RUNS_DRAWN = 100;

export const jobRoutes = ({ engine, viewerOf, address }: PagesParts) =>
  new Elysia({ name: "job" })
    .use(signedIn(viewerOf))
    .get("/jobs/:application/:key", ({ request, viewer, params: { application, key } }) => {
      const monitor = engine.operateAs(asActor(viewer), "monitor show", { application, key });
      if (isRefusal(monitor)) return refusalPage(request, monitor, viewer);
      const { incident } = monitor;
      const page = (
        <JobPage
          monitor={monitor}
          runs={engine.lastRuns(application, key, RUNS_DRAWN)}
          chapters={incident === null ? [] : (engine.chapters([incident.id]).get(incident.id) ?? [])}
          now={engine.bearings().now}
          viewer={viewer}
          look={lookOf(request)}
          address={address ?? new URL(request.url).origin}
        />
      );
      return pageAnswer(request, page);
    });
