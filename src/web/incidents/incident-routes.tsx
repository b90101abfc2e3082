// Serves `/incidents`, and each incident's page. For an incident of an application that the viewer may not see, the
// response is the same as for an incident that does not exist.

import { Elysia } from "elysia";
import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import { counted, grouped } from "../../domain/wording/spoken-time.ts";
import { LIST_MAX } from "../../engine/operations/fields.ts";
import { incidentState } from "../../views/rows/incident-rows.ts";
import { INCIDENTS, type IncidentStory, type IncidentSummary } from "../../views/schemas/incident-schemas.ts";
import { writtenAnswer } from "../../views/schemas/written.ts";
import { listPage, type ReadList, readList, sectionParts } from "../list-page.tsx";
import { applicationsFor, narrowedList, narrowedTo, pathWithQuery } from "../list-query.ts";
import { livePage } from "../live/live-page.ts";
import { type Shown, shownParts } from "../live/live-part.tsx";
import type { PagesParts } from "../pages-parts.ts";
import { Headline, type Saying } from "../parts/headline.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { RowParts } from "../parts/row-parts.tsx";
import { Shape } from "../parts/shapes.tsx";
import { INCIDENTS_PATH, incidentPath, jobPath, rowIdIn } from "../paths.ts";
import { csvResponse } from "../response.ts";
import { nameOnPage, pageLine } from "../shown.ts";
import { type Asking, signedIn } from "../signed-in.ts";
import { viewerZones } from "../viewer-zone.ts";
import { type SeenStory, storyPage, storyShown } from "./story-page.tsx";

const NONE = refuse("NOT_FOUND", "there is no such incident, or it is older than what is kept");

export function incidentRoutes(parts: PagesParts) {
  const list = livePage(parts, {
    at: INCIDENTS_PATH,
    prepare: parts.catchUp,
    look: incidentListOf,
    shown: incidentsShown,
    page: incidentsPage,
  });
  const story = livePage<SeenStory, { readonly id: string }>(parts, {
    at: `${INCIDENTS_PATH}/:id`,
    *look(asking, params) {
      yield;
      const found = storyOf(asking, params);
      if (isRefusal(found)) return found;
      const { views } = parts.engine;
      const zones = viewerZones(asking.request, found.timezone, views.viewContext().now);
      const notified = views.notified([found.incident.id], zones.timezone).get(found.incident.id) ?? [];
      return { ...found, notified: [...notified], zones };
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
    .get(CSV_PATH, ({ asking }) => incidentsCsv(asking))
    .get(`${INCIDENTS_PATH}/:id`, ({ asking, params }) => story(asking, params));
}

const CSV_PATH = `${INCIDENTS_PATH}.csv` as const;

/** A CSV file with the newest incidents: of all applications, or of each application that the list is narrowed to. */
function incidentsCsv({ engine, operate, viewer, search }: Asking): Response | Refusal {
  const rows: object[] = [];
  const narrowed = narrowedTo(viewer, INCIDENTS_LIST.read(search).app);
  const known = new Set(applicationsFor(engine, viewer));
  for (const application of narrowed?.filter((slug) => known.has(slug)) ?? [null]) {
    const listed = operate("incident list", { application, limit: LIST_MAX });
    if (isRefusal(listed)) return listed;
    rows.push(...writtenAnswer(INCIDENTS, listed).incidents);
  }
  return csvResponse("incidents", rows);
}

function storyOf({ operate }: Asking, { id: given }: { readonly id: string }): IncidentStory | Refusal {
  const id = rowIdIn(given);
  const story = id === null ? NONE : operate("incident show", { id });
  return isRefusal(story) ? NONE : story;
}

// Draws the list of incidents: the open ones first, then the past ones.

const incidentsPage = (asking: Asking, list: ShownIncidents, shown: Shown): Response =>
  listPage(
    asking,
    INCIDENTS_LIST,
    list.query,
    sayingOf(list),
    shown,
    <p class="note">
      <a href={pathWithQuery(CSV_PATH, { app: list.query.app })}>The newest {String(LIST_MAX)} as CSV</a>
    </p>,
  );

const incidentsShown = (list: ShownIncidents): InPieces<Shown> =>
  shownParts({
    headline: <Headline saying={sayingOf(list)} />,
    ...sectionParts(INCIDENTS_LIST, list, NOTHING, IncidentEntry, "open"),
  });

const NOTHING = { open: "No incident is open.", past: "No incident has ended here yet." };

function sayingOf({ sections, open: count, openOfPausedJobs }: ShownIncidents): Saying {
  const open = sections.find(({ state }) => state === "open");
  if (open === undefined) return { sentence: "Past incidents.", tone: "quiet" };
  const waits =
    count > openOfPausedJobs &&
    (open.rows.some(({ acknowledgedAt }) => acknowledgedAt === null) || open.older !== null);
  const paused =
    openOfPausedJobs === 0
      ? ""
      : openOfPausedJobs === count
        ? ", of paused jobs"
        : `, ${grouped(openOfPausedJobs)} of paused jobs`;
  const said = `${counted(count, "incident")} ${count === 1 ? "is" : "are"} open${paused}.`;
  return {
    sentence: count === 0 ? NOTHING.open : said,
    tone: waits ? "bad" : count > openOfPausedJobs ? "late" : "well",
  };
}

const IncidentEntry = (incident: IncidentSummary, shown: Clocked) => {
  const { id, application, message, openedAt, closedAt, acknowledgedAt } = incident;
  return (
    <li id={`incident-${id}`} class="entry">
      <Shape health={closedAt !== null ? "healthy" : acknowledgedAt === null ? "critical" : "late"} />
      <div class="entry-what">
        <p>
          <a class="entry-name" href={incidentPath(id)}>
            {nameOnPage(incident)}
          </a>{" "}
          <span class="where">{application}</span>
        </p>
        <p class="note entry-line">
          {troublesInWords(incident)}
          {message === null ? "" : `: ${pageLine(message)}`}
        </p>
      </div>
      <p class="note entry-when">
        <Ago at={openedAt} {...shown} />
        <span>
          <RowParts parts={incidentState(incident)} {...shown} />
        </span>
      </p>
    </li>
  );
};

const INCIDENTS_LIST = narrowedList<"all" | "open" | "past">(INCIDENTS_PATH, "Which incidents", {
  all: "All",
  open: "Open",
  past: "Past",
});

interface ShownIncidents extends ReadList<"all" | "open" | "past", IncidentSummary> {
  /** How many incidents are open in all, also those that this page does not list. */
  readonly open: number;
  /** How many of the open incidents are of paused jobs; the overview leaves these out. */
  readonly openOfPausedJobs: number;
}

const LIMITS = { each: 50, alone: 50 };

function* incidentListOf(asking: Asking): InPieces<ShownIncidents> {
  const { views } = asking.engine;
  const list = yield* readList(asking, INCIDENTS_LIST, LIMITS, ({ state, ...asked }) => {
    const { incidents, older } = views.incidents({ ...asked, state: state === "open" ? "open" : "closed" });
    return { rows: incidents, older };
  });
  const open = list.sections.find(({ state }) => state === "open");
  const isWhole = open?.older === null && list.query.before === null;
  const applications = narrowedTo(asking.viewer, list.query.app);
  const count = isWhole ? open.rows.length : open === undefined ? 0 : views.openCount(applications);
  if (count === 0) return { ...list, open: 0, openOfPausedJobs: 0 };
  const paused = yield* views.board.monitors(list.now, ({ status }) => status === "paused");
  if (paused.length === 0) return { ...list, open: count, openOfPausedJobs: 0 };
  const places = new Set(paused.map(jobPath));
  const { openOfPausedJobs } = yield* views.openIncidents(applications, (job) => places.has(jobPath(job)));
  return { ...list, open: count, openOfPausedJobs };
}
