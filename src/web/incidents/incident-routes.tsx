// `/incidents`, and each incident's own page, and the connections that keep them true. What is another application's is
// not there for its viewers.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { endedInWords } from "../../domain/wording/incident-story.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { Engine } from "../../engine/engine.ts";
import type { IncidentStory, IncidentSummary } from "../../views/answers/incidents.ts";
import { pageAnswer } from "../answer.tsx";
import { Document } from "../document.tsx";
import { applicationsFor, type ListQuery, narrowedList, narrowedTo } from "../list-query.ts";
import { liveAnswer } from "../live/live-page.ts";
import { LIVE, Live, livePath, notHere, Part, type Shown, shownParts } from "../live/live-part.tsx";
import { lookOf } from "../look.ts";
import type { PagesParts } from "../pages-parts.ts";
import { Headline, type Saying, titleOf } from "../parts/headline.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { Further, Narrow } from "../parts/narrow.tsx";
import { Shape } from "../parts/shapes.tsx";
import { INCIDENTS_PATH, incidentPath } from "../paths.ts";
import { refusalPage } from "../refusal-page.tsx";
import { shownLine, shownName } from "../shown.ts";
import { signedIn } from "../signed-in.ts";
import { inTurns } from "../turns.ts";
import { asActor, type Looker, type Viewer } from "../viewer.ts";
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

// The list of incidents: those that are open, then those that are over.

interface IncidentListProps extends Looker {
  readonly list: ShownIncidents;
  readonly shown: Shown;
  readonly applications: readonly string[];
}

const IncidentsPage = ({ viewer, look, list, shown, applications }: IncidentListProps) => {
  const saying = sayingOf(list);
  const path = INCIDENTS_LIST.path(list.query);
  return (
    <Document title={titleOf(saying)} tone={saying.tone} viewer={viewer} look={look} path={path}>
      <Live path={livePath(path, shown)}>
        <Part of={shown} id="headline" />
        <Narrow list={INCIDENTS_LIST} query={list.query} applications={applications} />
        {list.sections.map(({ state }) => (
          <Part key={state} of={shown} id={`incidents-${state}`} />
        ))}
      </Live>
    </Document>
  );
};

/** What changes of it while it is open. */
const incidentsShown = (list: ShownIncidents): InPieces<Shown> =>
  shownParts({
    headline: <Headline saying={sayingOf(list)} />,
    ...Object.fromEntries(
      list.sections.map((section) => [`incidents-${section.state}`, <Section section={section} list={list} />]),
    ),
  });

function sayingOf({ sections }: ShownIncidents): Saying {
  const open = sections.find(({ state }) => state === "open");
  if (open === undefined) return { sentence: "Past incidents.", tone: "quiet" };
  return { sentence: headlineOf(open), tone: open.incidents.length > 0 ? "bad" : "well" };
}

const headlineOf = ({ incidents, older }: IncidentSection): string => {
  if (incidents.length === 0) return "No incident is open.";
  const many = older === null ? "" : "More than ";
  return `${many}${counted(incidents.length, "incident")} ${incidents.length === 1 ? "is" : "are"} open.`;
};

const WORDS: Readonly<Record<IncidentSection["state"], { readonly head: string; readonly none: string }>> = {
  open: { head: "Open", none: "No incident is open." },
  closed: { head: "Past", none: "No incident has ended here yet." },
};

interface IncidentSectionProps {
  readonly section: IncidentSection;
  readonly list: Pick<ShownIncidents, "query" | "now" | "timezone">;
}

const Section = ({ section: { state, incidents, older }, list: { query, now, timezone } }: IncidentSectionProps) => {
  const { head, none } = WORDS[state];
  const show: IncidentsQuery["show"] = state === "open" ? "open" : "past";
  const isLeftOut = state === "open" && incidents.length === 0 && query.show === "all";
  return (
    <section id={`incidents-${state}`} class="group" aria-label={head} hidden={isLeftOut}>
      <h2 class="group-head">{head}</h2>
      {incidents.length === 0 ? (
        <p class="nothing">{older === null ? none : "None among those looked at; there are older ones."}</p>
      ) : null}
      <ul class="entries">
        {incidents.map((incident) => (
          <Entry key={incident.id} incident={incident} now={now} timezone={timezone} />
        ))}
      </ul>
      <Further
        newest={query.before === null ? null : INCIDENTS_LIST.path({ ...query, before: null })}
        older={older === null ? null : INCIDENTS_LIST.path({ ...query, show, before: older })}
      />
    </section>
  );
};

const Entry = ({ incident, now, timezone }: { incident: IncidentSummary } & Clocked) => {
  const { id, application, message, openedAt, closedAt, acknowledgedAt, acknowledgedBy } = incident;
  return (
    <li class="entry">
      <Shape health={closedAt === null ? "critical" : "healthy"} />
      <div class="entry-what">
        <p>
          <a class="entry-name" href={incidentPath(id)}>
            {shownName(incident)}
          </a>{" "}
          <span class="where">{application}</span>
        </p>
        <p class="note entry-line">
          {troublesInWords(incident)}
          {message === null ? "" : `: ${shownLine(message)}`}
        </p>
      </div>
      <p class="note entry-when">
        <Ago at={openedAt} now={now} timezone={timezone} />
        {closedAt !== null ? (
          <span>{endedInWords(incident)}</span>
        ) : acknowledgedAt === null ? (
          <span>open</span>
        ) : (
          <span>acknowledged{byPerson(acknowledgedBy)}</span>
        )}
      </p>
    </li>
  );
};

// Decides which incidents a list shows: the open ones first, then the past ones, page by page.

type IncidentsQuery = ListQuery<"all" | "open" | "past">;

const INCIDENTS_LIST = narrowedList<IncidentsQuery["show"]>(INCIDENTS_PATH, "Which incidents", {
  all: "All",
  open: "Open",
  past: "Past",
});

interface IncidentSection {
  readonly state: "open" | "closed";
  readonly incidents: readonly IncidentSummary[];
  /** Where older ones begin; null: there are none. */
  readonly older: number | null;
}

export interface ShownIncidents extends Clocked {
  readonly query: IncidentsQuery;
  readonly sections: readonly IncidentSection[];
}

const ON_A_PAGE = 50;

/** `all` shows the newest of both; a page further back is of one of them. A piece throws what SQLite throws. */
function* incidentListOf(engine: Engine, viewer: Viewer, query: IncidentsQuery): InPieces<ShownIncidents> {
  const { show, app, before } = query;
  const applications = narrowedTo(viewer, app);
  const states = show === "all" ? (["open", "closed"] as const) : ([show === "open" ? "open" : "closed"] as const);
  const sections: IncidentSection[] = [];
  for (const state of states) {
    const asked = { applications, state, before: before ?? Number.MAX_SAFE_INTEGER, limit: ON_A_PAGE };
    sections.push({ state, ...engine.views.incidents(asked) });
    yield;
  }
  const { now, timezone } = engine.views.viewContext();
  return { query, sections, now, timezone };
}
