// An incident's page: what happened in one sentence, what can be done about it, and its whole story.

import type { Child, PropsWithChildren } from "hono/jsx";
import type { InPieces } from "../../domain/in-pieces.ts";
import { type Instant, toIso } from "../../domain/time.ts";
import { troublesInWords } from "../../domain/wording/causes.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { IncidentStory, IncidentSummary, Notified } from "../../views/answers/incidents.ts";
import {
  arrivalInWords,
  endedInWords,
  type IncidentEntry,
  incidentEntries,
  NOT_NOTIFIED,
  STORY_SHORTENED,
  type StoryReport,
} from "../../views/incident-story.ts";
import { reportInWords } from "../../views/outcomes.ts";
import type { Tone } from "../assets/assets.ts";
import { pageAnswer } from "../document.tsx";
import { Live, livePath, Part, type Shown, shownParts } from "../live/live-part.tsx";
import { Acknowledge, Act } from "../parts/act.tsx";
import { Ago, Clock, type Clocked, Clocks, DateAndTime, dayOf, Sentence } from "../parts/moment.tsx";
import { Output, Unnotified } from "../parts/notified-line.tsx";
import { Shape, shapeOfReport } from "../parts/shapes.tsx";
import { incidentPath, jobPath, whyPath } from "../paths.ts";
import { shownLine, shownLines, shownName } from "../shown.ts";
import type { Asking } from "../signed-in.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import { type StoryZones, zonesInWords } from "../zone.ts";

export type SeenStory = IncidentStory & Readonly<{ zones: StoryZones }>;

export function storyPage(asking: Asking, story: SeenStory, shown: Shown): Response {
  const path = incidentPath(story.incident.id);
  return pageAnswer(
    asking,
    { ...titleOf(story), path },
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
    headline: <StoryHead story={story} />,
    "story-about": <About story={story} now={now} />,
    "story-acts": <Acts incident={story.incident} mayAct={mayAs(viewer, "operator")} />,
    story: <StoryList story={story} />,
  });

const newestOf = ({ notified }: IncidentStory) => notified.findLast(({ kind }) => kind !== "Acknowledged");

/** While it is open, what its job is doing now; how it ended, in the words of its last message. */
export const StoryHead = ({ story }: { story: IncidentStory }) => {
  const { incident, now, timezone } = story;
  const { title, tone } = titleOf(story);
  return (
    <header
      id="headline"
      class="head"
      data-title={`${title} · rollcall`}
      data-name={incident.closedAt === null ? shownName(incident) : undefined}
    >
      <h1 class={`headline is-${tone}`}>
        {incident.closedAt === null ? (
          <>
            <bdi>{shownName(incident)}</bdi> <Sentence parts={now} timezone={timezone} />.
          </>
        ) : (
          (newestOf(story)?.story[0] ?? `${shownName(incident)}: ${troublesInWords(incident)}.`)
        )}
      </h1>
    </header>
  );
};

export function titleOf({ incident }: IncidentStory) {
  const { closedAt, closedBy, acknowledgedAt } = incident;
  const tone: Tone =
    closedAt === null ? (acknowledgedAt === null ? "bad" : "late") : closedBy === "success" ? "well" : "quiet";
  return { title: `${shownName(incident)}: incident ${incident.id}`, tone };
}

const About = ({ story, now }: { story: IncidentStory; now: Instant }) => {
  const { incident, timezone } = story;
  const { id, application, openedAt, closedAt } = incident;
  const newest = newestOf(story);
  return (
    <div id="story-about">
      <p class="note story-about">
        <a href={jobPath(incident)}>{shownName(incident)}</a> <span class="where">{application}</span> · incident {id} ·
        opened <Ago at={openedAt} now={now} timezone={timezone} />
        <IncidentState incident={incident} now={now} timezone={timezone} /> ·{" "}
        <a href={whyPath(incident, closedAt === null ? null : toIso(openedAt))}>Why?</a>
      </p>
      <Unnotified why={story.unnotified} timezone={timezone} />
      {closedAt === null && newest !== undefined ? <p class="story-do">{newest.toDo}</p> : null}
    </div>
  );
};

const IncidentState = ({ incident, now, timezone }: Clocked & { incident: IncidentSummary }) => {
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

/** As lists say it. */
export function stateInWords(incident: IncidentSummary): string {
  if (incident.closedAt !== null) return endedInWords(incident);
  return incident.acknowledgedAt === null ? "open" : `acknowledged${byPerson(incident.acknowledgedBy)}`;
}

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
};

// The story of an incident, event by event.

const StoryList = ({ story }: { story: SeenStory }) => (
  <section id="story" class="group incident-story" aria-label="Story">
    <h2 class="group-head">
      <span>Story</span> <small>{zonesInWords(story.zones)}</small>
    </h2>
    {story.isWhole ? null : <p class="nothing">{STORY_SHORTENED}</p>}
    <StoryDays events={incidentEntries(story)} {...story.zones} what={Event} />
  </section>
);

interface StoryDaysProps<Of> extends StoryZones {
  readonly events: readonly Of[];
  /** How many are shown at once; the others when a person asks. Absent: all. */
  readonly open?: number;
  readonly what: (props: { event: Of; timezone: string }) => Child;
}

export const StoryDays = <Of extends { readonly at: Instant; readonly kind: string }>({
  open,
  ...props
}: StoryDaysProps<Of>) => {
  const { events, timezone, beside, what: What } = props;
  const more = open === undefined ? [] : events.slice(open);
  return (
    <>
      {[...Map.groupBy(events.slice(0, open), ({ at }) => dayOf(at, timezone))].map(([day, ofDay]) => (
        <section key={day} class="story-day" aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {ofDay.map((event, place) => (
              <li key={place} class={`event is-${event.kind}`}>
                <Clocks at={event.at} timezone={timezone} beside={beside} />
                {What({ event, timezone })}
              </li>
            ))}
          </ol>
        </section>
      ))}
      {more.length === 0 ? null : (
        <details>
          <summary class="unfold">{counted(more.length, "earlier event")}</summary>
          <StoryDays {...props} events={more} />
        </details>
      )}
    </>
  );
};

const Event = ({ event, timezone }: { event: IncidentEntry; timezone: string }) => {
  switch (event.kind) {
    case "report":
      return <Reported report={event.report} />;
    case "notified":
      return <NotifiedMessage message={event.message} quote={event.quote} timezone={timezone} />;
    case "acted":
      return (
        <div class="event-what">
          <p>{event.words}</p>
        </div>
      );
    default:
      return event satisfies never;
  }
};

const Reported = ({ report }: { report: StoryReport }) => {
  const { message, output } = report;
  return (
    <div class="event-what">
      <p class="event-report">
        <Shape health={shapeOfReport(report)} />
        <span>{reportInWords(report)}.</span>
      </p>
      {message === null || message === "" ? null : <blockquote class="quote">{shownLines(message)}</blockquote>}
      <Output text={output} />
    </div>
  );
};

/** `children`: what stands beside its state. */
export const NotifiedMessage = ({
  message: { at, state, story, deliveries },
  quote,
  timezone,
  children,
}: PropsWithChildren<{ message: Notified; quote: string | null; timezone: string }>) => (
  <div class="event-what">
    <p>
      <span class="event-head">{state}</span> <small>{children}</small>
    </p>
    {story.map((line) => (
      <p key={line}>{line}</p>
    ))}
    {quote === null ? null : <blockquote class="quote">{quote}</blockquote>}
    {deliveries.length === 0 ? (
      <p class="note is-not-notified">{NOT_NOTIFIED}</p>
    ) : (
      <ul class="note">
        {deliveries.map((delivery, place) => (
          <li key={place} class={`notified is-${delivery.state}`}>
            {delivery.recipient === null ? delivery.destination : `${delivery.recipient} (${delivery.destination})`}:{" "}
            <Arrival delivery={delivery} day={dayOf(at, timezone)} timezone={timezone} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

type ArrivalProps = Readonly<{ delivery: Notified["deliveries"][number]; day: string; timezone: string }>;

/** `day`: that stands above it. */
const Arrival = ({ delivery, day, timezone }: ArrivalProps) => {
  const { answer } = delivery;
  const [before, at, after] = arrivalInWords({ ...delivery, answer: answer === null ? null : shownLine(answer) });
  return (
    <>
      {at === null ? before : `${before} `}
      {at === null ? null : dayOf(at, timezone) === day ? (
        <Clock at={at} timezone={timezone} />
      ) : (
        <DateAndTime at={at} timezone={timezone} />
      )}
      {after}
    </>
  );
};
