// The story of an incident: each message in its own words, oldest first, with those it went to.

import type { Instant } from "../../domain/time.ts";
import type { Chapter } from "../../views/answers/incidents.ts";
import { Exactly } from "./moment.tsx";
import { Shape, type Standing } from "./shapes.tsx";
import { addressesOf, ToldLine } from "./told-line.tsx";

const SHAPES: Readonly<Record<Chapter["kind"], Standing>> = {
  InitialFailure: "critical",
  NeverExecuted: "critical",
  ContinuedFailure: "critical",
  Acknowledged: "running",
  Recovered: "healthy",
};

interface StoryProps {
  readonly chapters: readonly Chapter[];
  readonly now: Instant;
  /** The zone of its job's schedule. */
  readonly timezone: string;
}

export const Story = ({ chapters, now, timezone }: StoryProps) => (
  <ol class="story" aria-label="What was told">
    {chapters.map((chapter, place) => (
      <li key={place}>
        <Shape standing={SHAPES[chapter.kind]} />
        <div>
          <p>
            <strong>{chapter.state}</strong>{" "}
            <span class="note">
              <Exactly at={chapter.at} timezone={timezone} />
            </span>
          </p>
          <p>{chapter.story.join(" ")}</p>
          {chapter.quote === null ? null : <blockquote class="quote">{chapter.quote}</blockquote>}
          <p class="note">
            <ToldLine told={addressesOf([chapter])} now={now} timezone={timezone} />
          </p>
        </div>
      </li>
    ))}
  </ol>
);
