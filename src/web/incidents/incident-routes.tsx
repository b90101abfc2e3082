// `/incidents`, and each incident's own page. What is another application's is not there for its viewers.

import { Elysia } from "elysia";
import { isRefusal, refuse } from "../../domain/errors.ts";
import { pageAnswer } from "../answer.tsx";
import { applicationsFor } from "../applications.ts";
import { readListQuery } from "../list-query.ts";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { INCIDENTS_PATH } from "../paths.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { asActor } from "../viewer.ts";
import { PARTS, sectionsOf } from "./list.ts";
import { IncidentsPage } from "./list-page.tsx";
import { StoryPage } from "./story-page.tsx";

const NONE = refuse("NOT_FOUND", "there is no such incident, or it is older than what is kept");

export const incidentRoutes = ({ engine, viewerOf }: PagesParts) =>
  new Elysia({ name: "incidents" })
    .use(signedIn(viewerOf))
    .get(INCIDENTS_PATH, ({ request, viewer }) => {
      const query = readListQuery(new URL(request.url).searchParams, PARTS);
      const { now, timezone } = engine.bearings();
      return pageAnswer(
        request,
        <IncidentsPage
          viewer={viewer}
          look={lookOf(request)}
          query={query}
          sections={sectionsOf(engine, viewer, query)}
          applications={applicationsFor(engine, viewer)}
          now={now}
          timezone={timezone}
        />,
      );
    })
    .get(`${INCIDENTS_PATH}/:id`, ({ request, viewer, params }) => {
      const id = /^[1-9]\d{0,14}$/.test(params.id) ? Number(params.id) : null;
      const story = id === null ? NONE : engine.operateAs(asActor(viewer), "incident show", { id });
      if (isRefusal(story)) return refusalPage(request, NONE, viewer);
      const { now } = engine.bearings();
      return pageAnswer(request, <StoryPage viewer={viewer} look={lookOf(request)} story={story} now={now} />);
    });
