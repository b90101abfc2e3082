// The list of incidents: those that are open, then those that are over.

import type { Instant } from "../../domain/time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import { Document } from "../document.tsx";
import { listPath } from "../list-query.ts";
import type { Look } from "../look.ts";
import { Ago } from "../parts/moment.tsx";
import { Further, Narrow } from "../parts/narrow.tsx";
import { Shape } from "../parts/shapes.tsx";
import { INCIDENTS_PATH, incidentPath } from "../paths.ts";
import { shownLine, shownName } from "../shown.ts";
import type { Viewer } from "../viewer.ts";
import { endedInWords } from "./ended.ts";
import { type IncidentSection, type IncidentsQuery, PARTS } from "./list.ts";

interface ListProps {
  readonly viewer: Viewer;
  readonly look: Look;
  readonly query: IncidentsQuery;
  readonly sections: readonly IncidentSection[];
  readonly applications: readonly string[];
  readonly now: Instant;
  readonly timezone: string;
}

const PART_WORDS = { all: "All", open: "Open", past: "Past" } as const;

const pathOf = (query: IncidentsQuery): string => listPath(INCIDENTS_PATH, query, PARTS);

export const IncidentsPage = ({ viewer, look, query, sections, applications, now, timezone }: ListProps) => {
  const open = sections.find(({ state }) => state === "open");
  const sentence = open === undefined ? "Past incidents." : headlineOf(open);
  const tone = open === undefined ? "quiet" : open.incidents.length > 0 ? "bad" : "well";
  return (
    <Document title={sentence.replace(/\.$/, "")} tone={tone} viewer={viewer} look={look} path={pathOf(query)}>
      <header class="head">
        <h1 class={`headline is-${tone}`}>{sentence}</h1>
      </header>
      <Narrow
        path={INCIDENTS_PATH}
        label="Which incidents"
        words={PART_WORDS}
        shown={query.show}
        parts={PARTS}
        to={(show) => pathOf({ ...query, show, before: null })}
        app={query.app}
        applications={applications}
      />
      {sections.map((section) => (
        <Section key={section.state} section={section} query={query} now={now} timezone={timezone} />
      ))}
    </Document>
  );
};

const headlineOf = ({ incidents, more }: IncidentSection): string => {
  if (incidents.length === 0) return "No incident is open.";
  return `${more ? "More than " : ""}${counted(incidents.length, "incident")} ${incidents.length === 1 ? "is" : "are"} open.`;
};

interface SectionProps extends Pick<ListProps, "query" | "now" | "timezone"> {
  readonly section: IncidentSection;
}

const Section = ({ section: { state, incidents, more }, query, now, timezone }: SectionProps) => {
  if (state === "open" && incidents.length === 0 && query.show === "all") return null;
  const show = state === "open" ? "open" : "past";
  const last = incidents.at(-1);
  return (
    <section class="group" aria-label={state === "open" ? "Open" : "Past"}>
      <h2 class="group-head">{state === "open" ? "Open" : "Past"}</h2>
      {incidents.length === 0 ? (
        <p class="nothing">{state === "open" ? "No incident is open." : "No incident has ended here yet."}</p>
      ) : (
        <ul class="entries">
          {incidents.map((incident) => (
            <Entry key={incident.id} incident={incident} now={now} timezone={timezone} />
          ))}
        </ul>
      )}
      <Further
        newest={query.before === null ? null : pathOf({ ...query, before: null })}
        older={more && last !== undefined ? pathOf({ ...query, show, before: last.id }) : null}
      />
    </section>
  );
};

const Entry = ({ incident, now, timezone }: { incident: IncidentSummary; now: Instant; timezone: string }) => {
  const { id, application, message, openedAt, closedAt, acknowledgedAt, acknowledgedBy } = incident;
  return (
    <li class="entry">
      <Shape standing={closedAt === null ? "critical" : "healthy"} />
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
