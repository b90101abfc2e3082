// What needs attention, on the overview: each open incident with its sentence, who was told, and what can be done.

import type { Instant } from "../../domain/time.ts";
import { textOf } from "../../domain/wording/now.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { Acknowledge, ButtonLink, PauseMenu } from "../parts/act.tsx";
import { Ago, Sentence } from "../parts/moment.tsx";
import { NotifiedLine } from "../parts/notified-line.tsx";
import { Shape } from "../parts/shapes.tsx";
import { incidentPath, jobPath } from "../paths.ts";
import { shownLine, shownLines, shownName } from "../shown.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import type { Need, Overview } from "./model.ts";

type NeedsProps = Pick<Overview, "needs" | "moreNeeds" | "troubles" | "now"> & { readonly viewer: Viewer };

export const NeedsPart = ({ needs, moreNeeds, troubles, now, viewer }: NeedsProps) => (
  <section id="needs" aria-label="What needs attention">
    {troubles.map((trouble) => (
      <p key={trouble} class="trouble">
        <Shape health="warning" />
        <span>rollcall itself: {trouble}.</span>
      </p>
    ))}
    {needs.map((need) => (
      <NeedCard key={need.incident.id} need={need} now={now} viewer={viewer} />
    ))}
    {moreNeeds === 0 ? null : (
      <p class="note">
        <a href="/?show=trouble">and {moreNeeds} more</a>
      </p>
    )}
  </section>
);

const NeedCard = ({ need, now, viewer }: { need: Need; now: Instant; viewer: Viewer }) => {
  const { incident, hasNamesake, timezone, sentence, notified } = need;
  const { id, application, acknowledgedAt, acknowledgedBy } = incident;
  const message = shownLines(incident.message ?? "");
  return (
    <article
      class={acknowledgedAt === null ? "need" : "need is-taken"}
      id={`need-${id}`}
      aria-labelledby={`need-${id}-name`}
    >
      <Shape health={acknowledgedAt === null ? "critical" : "late"} />
      <div class="need-what">
        <h2 id={`need-${id}-name`}>
          <a href={jobPath(incident)}>{shownName(incident)}</a>{" "}
          <span class="where">{hasNamesake ? `${shownLine(incident.key)} · ${application}` : application}</span>
        </h2>
        <p class="sentence">
          <Sentence parts={sentence} timezone={timezone} />
        </p>
        {message === "" || textOf(sentence).endsWith(message) ? null : <blockquote class="quote">{message}</blockquote>}
        <p class="note">
          {acknowledgedAt === null ? null : (
            <>
              {`taken on${byPerson(acknowledgedBy)} `}
              <Ago at={acknowledgedAt} now={now} timezone={timezone} />
              {" · "}
            </>
          )}
          <NotifiedLine notified={notified} now={now} timezone={timezone} />
        </p>
      </div>
      <div class="acts">
        {mayAs(viewer, "operator") ? (
          <>
            {acknowledgedAt === null ? <Acknowledge id={id} back="/" /> : null}
            <PauseMenu to={`${jobPath(incident)}/pause`} back="/" />
          </>
        ) : null}
        <ButtonLink to={incidentPath(id)} kind="plain">
          Story
        </ButtonLink>
      </div>
    </article>
  );
};
