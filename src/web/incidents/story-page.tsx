// An incident's page: what happened in one sentence, what can be done about it, and its whole story.

import type { Instant } from "../../domain/time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { IncidentStory, IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import { Document } from "../document.tsx";
import type { Look } from "../look.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/moment.tsx";
import { incidentPath, jobPath } from "../paths.ts";
import { shownName } from "../shown.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import { endedInWords } from "./ended.ts";
import { StoryList } from "./story-list.tsx";

interface StoryProps {
  readonly viewer: Viewer;
  readonly look: Look;
  readonly story: IncidentStory;
  readonly now: Instant;
}

export const StoryPage = ({ viewer, look, story, now }: StoryProps) => {
  const { incident, chapters, timezone } = story;
  const { id, application, closedAt } = incident;
  const name = shownName(incident);
  const tone = closedAt === null ? "bad" : incident.closedBy === "success" ? "well" : "quiet";
  const newest = chapters.findLast(({ kind }) => kind !== "Acknowledged");
  return (
    <Document title={`${name}: incident ${id}`} tone={tone} viewer={viewer} look={look} path={incidentPath(id)}>
      <header class="head">
        <h1 class={`headline is-${tone}`}>{newest?.story[0] ?? `${name}: ${troublesInWords(incident)}.`}</h1>
      </header>
      <p class="note story-about">
        <a href={jobPath(incident)}>{name}</a> <span class="where">{application}</span> · incident {id} · opened{" "}
        <Ago at={incident.openedAt} now={now} timezone={timezone} />
        <Standing incident={incident} now={now} timezone={timezone} />
      </p>
      {closedAt === null && newest !== undefined ? <p class="story-do">{newest.toDo}</p> : null}
      {closedAt === null && mayAs(viewer, "operator") ? <Acts incident={incident} /> : null}
      <StoryList story={story} />
    </Document>
  );
};

interface StandingProps extends Pick<StoryProps, "now"> {
  readonly incident: IncidentSummary;
  readonly timezone: string;
}

const Standing = ({ incident, now, timezone }: StandingProps) => {
  const { closedAt, acknowledgedAt, acknowledgedBy, remindAt } = incident;
  if (closedAt !== null) return <>{` · ${endedInWords(incident)}`}</>;
  if (acknowledgedAt !== null)
    return (
      <>
        {` · acknowledged${byPerson(acknowledgedBy)} `}
        <Ago at={acknowledgedAt} now={now} timezone={timezone} />
      </>
    );
  if (remindAt === null) return <> · open, no more reminders</>;
  return (
    <>
      {" · open, next reminder "}
      <Ago at={remindAt} now={now} timezone={timezone} />
    </>
  );
};

const Acts = ({ incident: { id, acknowledgedAt } }: { incident: IncidentSummary }) => (
  <ul class="deeds">
    {acknowledgedAt === null ? (
      <li>
        <Act to={`${incidentPath(id)}/ack`} back={incidentPath(id)} kind="strong">
          Acknowledge
        </Act>
        <p class="note">Its reminders stop. A new cause and the recovery are still told.</p>
      </li>
    ) : null}
    <li>
      <Act to={`${incidentPath(id)}/resolve`} back={incidentPath(id)}>
        Resolve
      </Act>
      <p class="note">
        Closes the incident by hand and tells so to all who were told of it. Whether the job works shows with its next
        report.
      </p>
    </li>
  </ul>
);
