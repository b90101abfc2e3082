// `/incidents`, and each incident's own page, and the connections that keep them true. What is another application's is
// not there for its viewers.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { IncidentStory } from "../../views/answers/incidents.ts";
import { pageAnswer } from "../answer.tsx";
import { applicationsFor } from "../list-query.ts";
import { liveAnswer } from "../live/live-page.ts";
import { LIVE, notHere } from "../live/live-part.tsx";
import type { Shown } from "../live/shown.ts";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { INCIDENTS_PATH } from "../paths.ts";
import { refusalPage } from "../refusal-page.tsx";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { asActor, type Viewer } from "../viewer.ts";
import { INCIDENTS_LIST, IncidentsPage, incidentListOf, incidentsShown, type ShownIncidents } from "./list-page.tsx";
import { StoryPage, storyShown } from "./story-page.tsx";

const NONE = refuse("NOT_FOUND", "there is no such incident, or it is older than what is kept");

export function incidentRoutes(parts: PagesParts) {
  const { engine } = parts;

  function* listOf(request: Request, viewer: Viewer): InPieces<{ list: ShownIncidents; shown: Shown }> {
    const list = yield* incidentListOf(engine, viewer, INCIDENTS_LIST.read(new URL(request.url).searchParams));
    return { list, shown: yield* incidentsShown(list) };
  }

  function* listPage(request: Request, viewer: Viewer): InPieces<Response> {
    const listed = yield* listOf(request, viewer);
    yield;
    const applications = applicationsFor(engine, viewer);
    const page = <IncidentsPage viewer={viewer} look={lookOf(request)} {...listed} applications={applications} />;
    return pageAnswer(request, page);
  }

  function storyOf(viewer: Viewer, given: string): IncidentStory | Refusal {
    const id = /^[1-9]\d{0,14}$/.test(given) ? Number(given) : null;
    const story = id === null ? NONE : engine.as(asActor(viewer)).operate("incident show", { id });
    return isRefusal(story) ? NONE : story;
  }

  function* storyPage(request: Request, viewer: Viewer, id: string): InPieces<Response> {
    const story = storyOf(viewer, id);
    if (isRefusal(story)) return refusalPage(request, story, viewer);
    const shown = yield* storyShown(story, engine.views.viewContext().now, viewer);
    yield;
    return pageAnswer(request, <StoryPage viewer={viewer} look={lookOf(request)} story={story} shown={shown} />);
  }

  return new Elysia({ name: "incidents" })
    .use(signedIn(parts))
    .get(INCIDENTS_PATH, ({ request, viewer }) => inTurns(listPage(request, viewer)))
    .get(LIVE + INCIDENTS_PATH, ({ request, server, viewer }) =>
      liveAnswer(parts, { request, server, viewer }, null, function* () {
        return (yield* listOf(request, viewer)).shown;
      }),
    )
    .get(`${INCIDENTS_PATH}/:id`, ({ request, viewer, params: { id } }) => inTurns(storyPage(request, viewer, id)))
    .get(`${LIVE + INCIDENTS_PATH}/:id`, ({ request, server, viewer, params: { id } }) => {
      const first = storyOf(viewer, id);
      if (isRefusal(first)) return refusalPage(request, first, viewer);
      const { application, key } = first.incident;
      return liveAnswer(parts, { request, server, viewer }, engine.views.monitorId(application, key), function* () {
        const story = storyOf(viewer, id);
        return yield* isRefusal(story) ? notHere() : storyShown(story, engine.views.viewContext().now, viewer);
      });
    });
}
