// The story of an incident, event by event, each at its time in the job's zone.

import type { PropsWithChildren } from "hono/jsx";
import type { Instant } from "../../domain/time.ts";
import { span } from "../../domain/wording/short-time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { Chapter, IncidentStory } from "../../engine/operations/answers/incidents.ts";
import { Clock, dayOf } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { shownLine, shownLines } from "../shown.ts";
import { eventsOf, type StoryEvent, type StoryReport } from "./story.ts";

export const StoryList = ({ story }: { story: IncidentStory }) => {
  const { timezone } = story;
  const days = Map.groupBy(eventsOf(story), ({ at }) => dayOf(at, timezone));
  return (
    <section id="story" class="group incident-story" aria-label="Story">
      <h2 class="group-head">
        <span>Story</span> <small>times in {timezone}</small>
      </h2>
      {story.isWhole ? null : (
        <p class="nothing">Some of its reports are left out here: they are too many, too long ago, or not kept.</p>
      )}
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

const Event = ({ event, timezone }: { event: StoryEvent; timezone: string }) => {
  switch (event.kind) {
    case "report":
      return <Reported report={event.report} />;
    case "told":
      return <Told chapter={event.chapter} quote={event.quote} timezone={timezone} />;
    case "deed":
      return (
        <div class="event-what">
          <p>{event.words}</p>
        </div>
      );
    default:
      return event satisfies never;
  }
};

const REPORTED: Readonly<Record<StoryReport["kind"], string>> = {
  heartbeat: "The job reported",
  start: "The job reported its start",
  complete: "The job reported a success",
  fail: "The job reported a failure",
  log: "The job reported a message",
};

const Reported = ({ report: { kind, message, durationSeconds } }: { report: StoryReport }) => (
  <div class="event-what">
    <p class="event-report">
      {kind === "fail" ? <Shape standing="critical" /> : null}
      {kind === "heartbeat" || kind === "complete" ? <Shape standing="healthy" /> : null}
      <span>
        {REPORTED[kind]}
        {durationSeconds === null ? "" : `, after ${span(durationSeconds * 1_000)}`}.
      </span>
    </p>
    {message === null || message === "" ? null : <blockquote class="quote">{shownLines(message)}</blockquote>}
  </div>
);

interface ToldProps {
  readonly chapter: Chapter;
  readonly quote: string | null;
  readonly timezone: string;
}

/** `children`: what stands beside its state. */
export const Told = ({ chapter: { state, story, told }, quote, timezone, children }: PropsWithChildren<ToldProps>) => (
  <div class="event-what">
    <p>
      <span class="event-head">{state}</span> <small>{children}</small>
    </p>
    {story.map((line) => (
      <p key={line}>{line}</p>
    ))}
    {quote === null ? null : <blockquote class="quote">{quote}</blockquote>}
    {told.length === 0 ? (
      <p class="note is-untold">Nobody was told: no destination is configured for it.</p>
    ) : (
      <ul class="note">
        {told.map((delivery, place) => (
          <li key={place} class={`told is-${delivery.state}`}>
            {delivery.recipient === null ? delivery.destination : `${delivery.recipient} (${delivery.destination})`}:{" "}
            <Arrival delivery={delivery} timezone={timezone} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

const Arrival = ({ delivery, timezone }: { delivery: Chapter["told"][number]; timezone: string }) => {
  const { state, finishedAt, attempts, answer } = delivery;
  const tries = attempts < 2 ? "" : ` after ${counted(attempts, "attempt")}`;
  const because = answer === null ? "" : `: ${shownLine(answer)}`;
  switch (state) {
    case "sent":
      return (
        <>
          arrived <At at={finishedAt} timezone={timezone} />
          {tries}
        </>
      );
    case "given_up":
      return (
        <>
          given up <At at={finishedAt} timezone={timezone} />
          {tries}
          {because}
        </>
      );
    case "waiting":
      return <>{attempts === 0 ? "waits" : `waits${tries}${because}`}</>;
    case "under_way":
      return <>is being sent</>;
    default:
      return state satisfies never;
  }
};

const At = ({ at, timezone }: { at: Instant | null; timezone: string }) =>
  at === null ? null : <Clock at={at} timezone={timezone} />;
