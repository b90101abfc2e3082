// Draws the entries of a story, day by day. It is used for the story of a job, the story of an incident, and the page
// that explains a job's state.

import type { Instant } from "../../domain/time.ts";
import { dayOf } from "../../domain/wording/moments.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { PastEntry, PastNote } from "../../views/story.ts";
import { incidentPath } from "../paths.ts";
import { pageLines } from "../shown.ts";
import type { ViewerZones } from "../viewer-zone.ts";
import { Clocks } from "./moment.tsx";
import { OUTPUT_HEAD, Output } from "./notified-line.tsx";
import { type OnDay, RowParts } from "./row-parts.tsx";
import { Shape, shapeOf } from "./shapes.tsx";

interface StoryDaysProps extends ViewerZones {
  readonly entries: readonly PastEntry[];
  readonly now: Instant;
  /** How many entries are shown at once, before a person asks for the others; absent to show all. */
  readonly open?: number;
}

export const StoryDays = ({ open, ...props }: StoryDaysProps) => {
  const { entries, now, timezone, beside } = props;
  const more = open === undefined ? [] : entries.slice(open);
  return (
    <>
      {[...Map.groupBy(entries.slice(0, open), ({ at }) => dayOf(at, timezone))].map(([day, ofDay]) => (
        <section key={day} class="story-day" aria-label={day}>
          <h3>{day}</h3>
          <ol>
            {ofDay.map((entry, place) => (
              <li key={place} class={`event is-${entry.kind}`}>
                <Clocks at={entry.at} timezone={timezone} beside={beside} />
                <StoryEntry entry={entry} day={day} now={now} timezone={timezone} />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {more.length === 0 ? null : (
        <details>
          <summary class="unfold">{counted(more.length, "earlier event")}</summary>
          <StoryDays {...props} entries={more} />
        </details>
      )}
    </>
  );
};

const StoryEntry = ({ entry, ...clock }: OnDay & { entry: PastEntry }) => {
  const { kind, shape, says, aside, incidentId, texts, quote, notes, output, isFolded } = entry;
  return (
    <div class="event-what">
      <p class={shape === null ? undefined : "event-report"}>
        {shape === null ? null : <Shape health={shapeOf(shape)} />}
        <span class={kind === "notified" ? "event-head" : undefined}>
          <RowParts parts={says} {...clock} />
          {aside === "" ? null : <small> {aside}</small>}
        </span>
        {incidentId === null ? null : (
          <small>
            {" "}
            <a href={incidentPath(incidentId)}>incident {incidentId}</a>
          </small>
        )}
      </p>
      {texts.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {quote === null ? null : <blockquote class="quote">{pageLines(quote)}</blockquote>}
      <Notes notes={notes} {...clock} />
      {isFolded && output !== null ? (
        <details>
          <summary class="unfold">{OUTPUT_HEAD}</summary>
          <Output text={output} />
        </details>
      ) : (
        <Output text={output} />
      )}
    </div>
  );
};

const Notes = ({ notes, ...clock }: OnDay & { notes: readonly PastNote[] }) => {
  if (notes.length === 0) return null;
  const [first] = notes;
  if (notes.length === 1 && first!.state === "untold")
    return (
      <p class="note is-not-notified">
        <RowParts parts={first!.says} {...clock} />
      </p>
    );
  return (
    <ul class="note">
      {notes.map(({ says, state }, place) => (
        <li key={place} class={state === null ? undefined : `notified is-${state}`}>
          <RowParts parts={says} {...clock} />
        </li>
      ))}
    </ul>
  );
};
