// The story of an incident: each message in its own words, oldest first, with those it went to.

import type { Instant } from "../../domain/time.ts";
import type { Notified } from "../../views/answers/incidents.ts";
import { Exactly } from "./moment.tsx";
import { type Health, Shape } from "./shapes.tsx";
import { addressesOf, ToldLine } from "./told-line.tsx";

const SHAPES: Readonly<Record<Notified["kind"], Health>> = {
  InitialFailure: "critical",
  NeverExecuted: "critical",
  ContinuedFailure: "critical",
  Acknowledged: "running",
  Recovered: "healthy",
};

interface StoryProps {
  readonly messages: readonly Notified[];
  readonly now: Instant;
  /** The zone of its job's schedule. */
  readonly timezone: string;
}

export const Story = ({ messages, now, timezone }: StoryProps) => (
  <ol class="story" aria-label="What was told">
    {messages.map((message, place) => (
      <li key={place}>
        <Shape health={SHAPES[message.kind]} />
        <div>
          <p>
            <strong>{message.state}</strong>{" "}
            <span class="note">
              <Exactly at={message.at} timezone={timezone} />
            </span>
          </p>
          <p>{message.story.join(" ")}</p>
          {message.quote === null ? null : <blockquote class="quote">{message.quote}</blockquote>}
          <p class="note">
            <ToldLine told={addressesOf([message])} now={now} timezone={timezone} />
          </p>
        </div>
      </li>
    ))}
  </ol>
);
