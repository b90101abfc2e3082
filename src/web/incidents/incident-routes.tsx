// `/incidents`, and each incident's own page. What is another application's is not there for its viewers.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { IncidentStory, IncidentSummary } from "../../views/answers/incidents.ts";
import { ListSection, listPage, type ShownSection, sectionId } from "../list-page.tsx";
import { type ListQuery, narrowedList, narrowedTo } from "../list-query.ts";
import { livePage } from "../live/live-page.ts";
import { type Shown, shownParts } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Headline, type Saying } from "../parts/headline.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { INCIDENTS_PATH, incidentPath, rowIn } from "../paths.ts";
import { shownLine, shownName } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { stateInWords, storyPage, storyShown } from "./story-page.tsx";

const NONE = refuse("NOT_FOUND", "there is no such incident, or it is older than what is kept");

export function incidentRoutes(parts: PagesParts) {
  const list = livePage(parts, {
    at: INCIDENTS_PATH,
    look: incidentListOf,
    shown: incidentsShown,
    page: incidentsPage,
  });
  const story = livePage<IncidentStory, { readonly id: string }>(parts, {
    at: `${INCIDENTS_PATH}/:id`,
    *look(asking, params) {
      yield;
      return storyOf(asking, params);
    },
    shown: (found, viewer) => storyShown(found, parts.engine.views.viewContext().now, viewer),
    page: storyPage,
    monitorOf: (asking, params) => {
      const found = storyOf(asking, params);
      return isRefusal(found) ? found : parts.engine.views.monitorId(found.incident.application, found.incident.key);
    },
  });
  return new Elysia({ name: "incidents" })
    .use(signedIn(parts))
    .get(INCIDENTS_PATH, ({ asking }) => list(asking, {}))
    .get(`${INCIDENTS_PATH}/:id`, ({ asking, params }) => story(asking, params));
}

function storyOf({ operate }: Asking, { id: given }: { readonly id: string }): IncidentStory | Refusal {
  const id = rowIn(given);
  const story = id === null ? NONE : operate("incident show", { id });
  return isRefusal(story) ? NONE : story;
}

// The list of incidents: those that are open, then those that are over.

const incidentsPage = (asking: Asking, list: ShownIncidents, shown: Shown): Response =>
  listPage(asking, INCIDENTS_LIST, list.query, sayingOf(list), shown);

const incidentsShown = (list: ShownIncidents): InPieces<Shown> =>
  shownParts({
    headline: <Headline saying={sayingOf(list)} />,
    ...Object.fromEntries(
      list.sections.map((section) => [
        sectionId(INCIDENTS_LIST, section.state),
        <Section section={section} list={list} />,
      ]),
    ),
  });

function sayingOf({ sections, open: count }: ShownIncidents): Saying {
  const open = sections.find(({ state }) => state === "open");
  if (open === undefined) return { sentence: "Past incidents.", tone: "quiet" };
  const waits = open.rows.some(({ acknowledgedAt }) => acknowledgedAt === null) || open.older !== null;
  return { sentence: headlineOf(count), tone: waits ? "bad" : open.rows.length > 0 ? "late" : "well" };
}

const headlineOf = (open: number): string =>
  open === 0 ? "No incident is open." : `${counted(open, "incident")} ${open === 1 ? "is" : "are"} open.`;

const WORDS: Readonly<Record<IncidentSection["state"], { readonly head: string; readonly none: string }>> = {
  open: { head: "Open", none: "No incident is open." },
  closed: { head: "Past", none: "No incident has ended here yet." },
};

const Section = ({ section, list }: { section: IncidentSection; list: ShownIncidents }) => (
  <ListSection
    list={INCIDENTS_LIST}
    query={list.query}
    section={section}
    show={section.state === "open" ? "open" : "past"}
    head={WORDS[section.state].head}
    nothing={WORDS[section.state].none}
    hidden={section.state === "open" && section.rows.length === 0 && list.query.show === "all"}
  >
    {section.rows.map((incident) => (
      <Entry key={incident.id} incident={incident} now={list.now} timezone={list.timezone} />
    ))}
  </ListSection>
);

const Entry = ({ incident, now, timezone }: { incident: IncidentSummary } & Clocked) => {
  const { id, application, message, openedAt, closedAt, acknowledgedAt } = incident;
  return (
    <li class="entry">
      <Shape health={closedAt !== null ? "healthy" : acknowledgedAt === null ? "critical" : "late"} />
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
        <span>{stateInWords(incident)}</span>
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

type IncidentSection = ShownSection<"open" | "closed", IncidentSummary>;

export interface ShownIncidents extends Clocked {
  readonly query: IncidentsQuery;
  readonly sections: readonly IncidentSection[];
  /** How many are open, on this page or not. */
  readonly open: number;
}

const ON_A_PAGE = 50;

/** `all` shows the newest of both; a page further back is of one of them. A piece throws what SQLite throws. */
function* incidentListOf({ engine, viewer, search }: Asking): InPieces<ShownIncidents> {
  const query = INCIDENTS_LIST.read(search);
  const { show, app, before } = query;
  const applications = narrowedTo(viewer, app);
  const states = show === "all" ? (["open", "closed"] as const) : ([show === "open" ? "open" : "closed"] as const);
  const sections: IncidentSection[] = [];
  let open = 0;
  for (const state of states) {
    const asked = { applications, state, before: before ?? Number.MAX_SAFE_INTEGER, limit: ON_A_PAGE };
    const { incidents, older } = engine.views.incidents(asked);
    sections.push({ state, rows: incidents, older });
    if (state === "open")
      open = older === null && before === null ? incidents.length : engine.views.openCount(applications);
    yield;
  }
  const { now, timezone } = engine.views.viewContext();
  return { query, sections, open, now, timezone };
}
