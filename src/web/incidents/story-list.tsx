// The story of an incident, event by event, each at its time in the job's zone.

import type { PropsWithChildren } from "hono/jsx";
import {
  arrivalInWords,
  type IncidentEntry,
  incidentEntries,
  NOBODY_TOLD,
  reportedInWords,
  STORY_SHORTENED,
} from "../../domain/wording/incident-story.ts";
import type { IncidentStory, Notified } from "../../views/answers/incidents.ts";
import { Clock, dayOf } from "../parts/moment.tsx";
import { Output } from "../parts/output.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownLine, shownLines } from "../shown.ts";

export const StoryList = ({ story }: { story: IncidentStory }) => {
  const { timezone } = story;
  const days = Map.groupBy(incidentEntries(story), ({ at }) => dayOf(at, timezone));
  return (
    <section id="story" class="group incident-story" aria-label="Story">
      <h2 class="group-head">
        <span>Story</span> <small>times in {timezone}</small>
      </h2>
      {story.isWhole ? null : <p class="nothing">{STORY_SHORTENED}</p>}
      {[...days].map(([day, events]) => (
        <section key={day} class="story-day" aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {events.map((event, place) => (
              <li key={place} class={`event is-${event.kind}`}>
                <Clock at={event.at} timezone={timezone} />
                <Event event={event} timezone={timezone} />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </section>
  );
};

type StoryReport = IncidentStory["reports"][number];

const Event = ({ event, timezone }: { event: IncidentEntry<StoryReport, Notified>; timezone: string }) => {
  switch (event.kind) {
    case "report":
      return <Reported report={event.report} />;
    case "notified":
      return <Told message={event.message} quote={event.quote} timezone={timezone} />;
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
  const { kind, message, output } = report;
  return (
    <div class="event-what">
      <p class="event-report">
        {kind === "fail" ? <Shape health="critical" /> : null}
        {kind === "heartbeat" || kind === "complete" ? <Shape health="healthy" /> : null}
        <span>{reportedInWords(report)}</span>
      </p>
      {message === null || message === "" ? null : <blockquote class="quote">{shownLines(message)}</blockquote>}
      <Output text={output} />
    </div>
  );
};

interface ToldProps {
  readonly message: Notified;
  readonly quote: string | null;
  readonly timezone: string;
}

/** `children`: what stands beside its state. */
export const Told = ({
  message: { state, story, deliveries },
  quote,
  timezone,
  children,
}: PropsWithChildren<ToldProps>) => (
  <div class="event-what">
    <p>
      <span class="event-head">{state}</span> <small>{children}</small>
    </p>
    {story.map((line) => (
      <p key={line}>{line}</p>
    ))}
    {quote === null ? null : <blockquote class="quote">{quote}</blockquote>}
    {deliveries.length === 0 ? (
      <p class="note is-untold">{NOBODY_TOLD}</p>
    ) : (
      <ul class="note">
        {deliveries.map((delivery, place) => (
          <li key={place} class={`told is-${delivery.state}`}>
            {delivery.recipient === null ? delivery.destination : `${delivery.recipient} (${delivery.destination})`}:{" "}
            <Arrival delivery={delivery} timezone={timezone} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

const Arrival = ({ delivery, timezone }: { delivery: Notified["deliveries"][number]; timezone: string }) => {
  const { finishedAt, answer } = delivery;
  const [before, after] = arrivalInWords({ ...delivery, answer: answer === null ? null : shownLine(answer) });
  return (
    <>
      {before} {finishedAt === null ? null : <Clock at={finishedAt} timezone={timezone} />}
      {after}
    </>
  );
};
