// `/jobs/APPLICATION/KEY`: everything that is known of one job, and the connection that keeps it true.

import { Elysia } from "elysia";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { OneJob } from "../acts/acts.ts";
import { pageAnswer } from "../answer.tsx";
import { liveAnswer } from "../live/live-page.ts";
import { LIVE, notHere } from "../live/live-part.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { asActor, type Viewer } from "../viewer.ts";
import { JobPage, type JobView, jobShown } from "./job-page.tsx";
import { readStoryQuery } from "./story-query.ts";

const PATH = "/jobs/:application/:key";

const EVENTS_SHOWN = { all: 150, runs: 50, incidents: 20, changes: 50, reports: 50 } as const;

export function jobRoutes(parts: PagesParts) {
  const { engine, address } = parts;

  function* jobOf(request: Request, viewer: Viewer, { application, key }: OneJob): InPieces<JobView | Refusal> {
    const monitor = engine.as(asActor(viewer)).operate("monitor show", { application, key });
    if (isRefusal(monitor)) return monitor;
    const query = readStoryQuery(new URL(request.url).searchParams);
    const asked = { ...query, before: query.before ?? Number.MAX_SAFE_INTEGER, limit: EVENTS_SHOWN[query.part] };
    yield;
    const past = yield* engine.views.job(application, key, asked);
    return isRefusal(past) ? past : { monitor, past, query, now: engine.views.viewContext().now };
  }

  function* pageOf(request: Request, viewer: Viewer, asked: OneJob): InPieces<Response> {
    const job = yield* jobOf(request, viewer, asked);
    if (isRefusal(job)) return refusalPage(request, job, viewer);
    const shown = yield* jobShown(job, viewer);
    yield;
    const page = (
      <JobPage
        job={job}
        shown={shown}
        viewer={viewer}
        look={lookOf(request)}
        address={address ?? new URL(request.url).origin}
      />
    );
    return pageAnswer(request, page);
  }

  return new Elysia({ name: "job" })
    .use(signedIn(parts))
    .get(PATH, ({ request, viewer, params }) => inTurns(pageOf(request, viewer, params)))
    .get(`${LIVE}${PATH}` as const, ({ request, server, viewer, params }) => {
      // Its past is read when it is looked at: by then one look serves all who have it open.
      const monitor = engine.as(asActor(viewer)).operate("monitor show", params);
      if (isRefusal(monitor)) return refusalPage(request, monitor, viewer);
      const monitorId = engine.views.monitorId(params.application, params.key);
      return liveAnswer(parts, { request, server, viewer }, monitorId, function* () {
        const job = yield* jobOf(request, viewer, params);
        return yield* isRefusal(job) ? notHere() : jobShown(job, viewer);
      });
    });
}
