// The past incidents of a job, each a line that leads to its story.

import type { Instant } from "../../domain/time.ts";
import { endedInWords } from "../../domain/wording/incident-story.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import { Ago } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { incidentPath } from "../paths.ts";
import { shownLine } from "../shown.ts";

interface IncidentsProps {
  readonly incidents: readonly IncidentSummary[];
  /** Where all of them are; null: these are all. */
  readonly more: string | null;
  readonly now: Instant;
  readonly timezone: string;
}

export const Incidents = ({ incidents, more, now, timezone }: IncidentsProps) => (
  <section id="job-incidents" class="panel">
    <h2>Incidents</h2>
    {incidents.length === 0 ? <p class="note">It has had none.</p> : null}
    <ul>
      {incidents.map((incident) => (
        <Line key={incident.id} incident={incident} now={now} timezone={timezone} />
      ))}
    </ul>
    {more === null ? null : (
      <p class="note">
        <a href={more}>Earlier ones</a>
      </p>
    )}
  </section>
);

const Line = ({ incident, now, timezone }: { incident: IncidentSummary; now: Instant; timezone: string }) => {
  const { id, message, openedAt, closedAt, acknowledgedAt, acknowledgedBy } = incident;
  return (
    <li class="past-incident">
      <Shape standing={closedAt === null ? "critical" : "healthy"} />
      <p>
        <a href={incidentPath(id)}>{troublesInWords(incident)}</a>{" "}
        <span class="note">{message === null ? "" : shownLine(message)}</span>
      </p>
      <p class="note">
        <Ago at={openedAt} now={now} timezone={timezone} />
        {closedAt !== null
          ? `, ${endedInWords(incident)}`
          : acknowledgedAt === null
            ? ", open"
            : `, acknowledged${byPerson(acknowledgedBy)}`}
      </p>
    </li>
  );
};
