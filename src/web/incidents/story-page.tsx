// Draws an incident's page: what happened in one sentence, what can be done about it, and its whole story.

import type { InPieces } from "../../domain/in-pieces.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import { incidentStanding } from "../../views/rows/incident-rows.ts";
import type { IncidentStory, IncidentSummary } from "../../views/schemas/incident-schemas.ts";
import { incidentEntries, STORY_SHORTENED } from "../../views/story.ts";
import type { Tone } from "../assets/assets.ts";
import { pageResponse } from "../document.tsx";
import { Live, livePath, Part, type Shown, shownParts } from "../live/live-part.tsx";
import { Acknowledge, Act } from "../parts/act.tsx";
import { Ago, Sentence } from "../parts/moment.tsx";
import { Unnotified } from "../parts/notified-line.tsx";
import { RowParts } from "../parts/row-parts.tsx";
import { StoryDays } from "../parts/story-days.tsx";
import { incidentPath, jobPath, whyPath } from "../paths.ts";
import { nameOnPage } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";
import { type ViewerZones, viewerZonesInWords } from "../viewer-zone.ts";

export type SeenStory = IncidentStory & Readonly<{ zones: ViewerZones }>;

export function storyPage(asking: Asking, story: SeenStory, shown: Shown): Response {
  const path = incidentPath(story.incident.id);
  return pageResponse(
    asking,
    { ...storyTitle(story), path },
    <Live path={livePath(path, shown)}>
      <Part of={shown} id="headline" />
      <Part of={shown} id="story-about" />
      <Part of={shown} id="story-acts" />
      <Part of={shown} id="story" />
    </Live>,
  );
}

export const storyShown = (story: SeenStory, now: Instant, viewer: Viewer): InPieces<Shown> =>
  shownParts({
    headline: <IncidentStoryHead story={story} />,
    "story-about": <About story={story} now={now} />,
    "story-acts": <Acts incident={story.incident} mayAct={viewerMayAs(viewer, "operator")} />,
    story: <StoryList story={story} now={now} />,
  });

const newestOf = ({ notified }: IncidentStory) => notified.findLast(({ kind }) => kind !== "Acknowledged");

/**
 * The head of an incident. While the incident is open, the head says what the job is doing now; afterwards it says how
 * the incident ended, in the words of its last message.
 */
export const IncidentStoryHead = ({ story }: { story: IncidentStory }) => {
  const { incident, now, timezone } = story;
  const { title, tone } = storyTitle(story);
  return (
    <header
      id="headline"
      class="head"
      data-title={`${title} · rollcall`}
      data-name={incident.closedAt === null ? nameOnPage(incident) : undefined}
    >
      <h1 class={`headline is-${tone}`}>
        {incident.closedAt === null ? (
          <>
            <bdi>{nameOnPage(incident)}</bdi> <Sentence parts={now} timezone={timezone} />.
          </>
        ) : (
          (newestOf(story)?.story[0] ?? `${nameOnPage(incident)}: ${troublesInWords(incident)}.`)
        )}
      </h1>
    </header>
  );
};

export function storyTitle({ incident }: IncidentStory) {
  const { closedAt, closedBy, acknowledgedAt } = incident;
  const tone: Tone =
    closedAt === null ? (acknowledgedAt === null ? "bad" : "late") : closedBy === "success" ? "well" : "quiet";
  return { title: `${nameOnPage(incident)}: incident ${incident.id}`, tone };
}

const About = ({ story, now }: { story: IncidentStory; now: Instant }) => {
  const { incident, timezone } = story;
  const { id, application, openedAt, closedAt } = incident;
  const newest = newestOf(story);
  return (
    <div id="story-about">
      <p class="note story-about">
        <a href={jobPath(incident)}>{nameOnPage(incident)}</a> <span class="where">{application}</span> · incident {id}{" "}
        · opened <Ago at={openedAt} now={now} timezone={timezone} /> ·{" "}
        <RowParts parts={incidentStanding(incident)} now={now} timezone={timezone} /> ·{" "}
        <a href={whyPath(incident, closedAt === null ? null : toIso(openedAt))}>Why?</a>
      </p>
      <Unnotified why={story.unnotified} timezone={timezone} />
      {closedAt === null && newest !== undefined ? <p class="story-do">{newest.toDo}</p> : null}
    </div>
  );
};

const Acts = ({ incident, mayAct }: { incident: IncidentSummary; mayAct: boolean }) => {
  const { id, acknowledgedAt, closedAt } = incident;
  if (closedAt !== null || !mayAct) return <div id="story-acts" hidden />;
  return (
    <ul id="story-acts" class="actions">
      {acknowledgedAt === null ? (
        <li>
          <Acknowledge id={id} back={incidentPath(id)} />
          <p class="note">Its reminders stop. A new cause and the recovery are still told.</p>
        </li>
      ) : (
        <li>
          <Act to={`${incidentPath(id)}/unack`} back={incidentPath(id)}>
            Take back
          </Act>
          <p class="note">Takes the acknowledgement back: reminders go on, and what it held back is told.</p>
        </li>
      )}
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
};

const StoryList = ({ story, now }: { story: SeenStory; now: Instant }) => (
  <section id="story" class="group incident-story" aria-label="Story">
    <h2 class="group-head">
      <span>Story</span> <small>{viewerZonesInWords(story.zones)}</small>
    </h2>
    {story.isWhole ? null : <p class="nothing">{STORY_SHORTENED}</p>}
    <StoryDays entries={incidentEntries(story, now)} now={now} {...story.zones} />
  </section>
);
