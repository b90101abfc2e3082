// What needs attention, on the overview: each open incident with its sentence, who was told, and what can be done.

import type { Instant } from "../../domain/time.ts";
import { textOf } from "../../domain/wording/now.ts";
import { counted, grouped } from "../../domain/wording/spoken-time.ts";
import type { SilentTogether } from "../../views/together.ts";
import { MaintenanceNow } from "../maintenance/maintenance-routes.tsx";
import { Acknowledge, ButtonLink, PauseMenu, Submit } from "../parts/act.tsx";
import { Ago, type Clocked, Sentence, When } from "../parts/moment.tsx";
import { NotifiedLine, Unnotified } from "../parts/notified-line.tsx";
import { Shape } from "../parts/shapes.tsx";
import { ALL_PATH, incidentPath, jobPath, MAINTENANCE_PATH, whyPath } from "../paths.ts";
import { shownLine, shownLines, shownName } from "../shown.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import type { Need, Overview } from "./overview.ts";

/** Fewer are acknowledged one by one. */
const MANY_FROM = 4;

const MAINTENANCE_NAMED = 3;

type NeedsProps = Pick<
  Overview,
  "maintenances" | "timezone" | "together" | "needs" | "moreNeeds" | "unacknowledged" | "troubles" | "now"
> & { readonly viewer: Viewer };

export const NeedsPart = ({ needs, moreNeeds, unacknowledged, troubles, now, viewer, ...shown }: NeedsProps) => (
  <section id="needs" aria-label="What needs attention">
    {troubles.map((trouble) => (
      <p key={trouble} class="trouble">
        <Shape health="warning" />
        <span>rollcall itself: {trouble}.</span>
      </p>
    ))}
    {shown.together === null ? null : <Together of={shown.together} now={now} timezone={shown.timezone} />}
    {needs.map((need) => (
      <NeedCard key={need.incident.id} need={need} now={now} viewer={viewer} />
    ))}
    {shown.maintenances.slice(0, MAINTENANCE_NAMED).map((one) => (
      <MaintenanceNow key={one.id} one={one} now={now} timezone={shown.timezone} />
    ))}
    {shown.maintenances.length <= MAINTENANCE_NAMED ? null : (
      <p class="note">
        <a href={MAINTENANCE_PATH}>and {shown.maintenances.length - MAINTENANCE_NAMED} more</a>
      </p>
    )}
    {unacknowledged < MANY_FROM || !mayAs(viewer, "operator") ? null : (
      <form class="act" method="post" action={ALL_PATH} data-undo={counted(unacknowledged, "incident")}>
        <input type="hidden" name="back" value="/" />
        <Submit>Acknowledge all {grouped(unacknowledged)}</Submit>
      </form>
    )}
    {moreNeeds === 0 ? null : (
      <p class="note">
        <a href="/?show=trouble">and {grouped(moreNeeds)} more</a>
      </p>
    )}
  </section>
);

const SHARED_IN_WORDS: Readonly<Record<NonNullable<SilentTogether["shared"]>["of"], string>> = {
  address: "last reported from",
  source: "declared by",
  application: "of the application",
};

const Together = ({ of: { count, from, to, shared }, ...shown }: Clocked & { readonly of: SilentTogether }) => (
  <p class="trouble">
    <Shape health="critical" />
    <span>
      <strong>{counted(count, "job")} stopped reporting</strong> between <When at={from} {...shown} /> and{" "}
      <When at={to} {...shown} />
      {shared === null ? "" : `, all ${SHARED_IN_WORDS[shared.of]} ${shownLine(shared.name)}`}.
    </span>
  </p>
);

const NeedCard = ({ need, now, viewer }: { need: Need; now: Instant; viewer: Viewer }) => {
  const { incident, apart, timezone, sentence, notified } = need;
  const { id, application, attention, unnotified, acknowledgedAt, acknowledgedBy } = incident;
  const isTaken = attention === "taken";
  const message = shownLines(incident.message ?? "");
  return (
    <article class={isTaken ? "need is-taken" : "need"} id={`need-${id}`} aria-labelledby={`need-${id}-name`}>
      <Shape health={isTaken ? "late" : "critical"} />
      <div class="need-what">
        <h2 id={`need-${id}-name`}>
          <a href={jobPath(incident)}>{shownName(incident)}</a>{" "}
          <span class="where">{apart === "key" ? `${shownLine(incident.key)} · ${application}` : application}</span>
        </h2>
        <p class="sentence">
          <Sentence parts={sentence} timezone={timezone} />
          {isTaken && acknowledgedAt !== null ? (
            <span class="note">
              {` · ${shownLine(acknowledgedBy ?? "taken on by command")}, `}
              <Ago at={acknowledgedAt} now={now} timezone={timezone} />
            </span>
          ) : null}
        </p>
        {isTaken || message === "" || textOf(sentence).endsWith(message) ? null : (
          <blockquote class="quote">{message}</blockquote>
        )}
        {isTaken ? null : attention === "unnotified" ? (
          <Unnotified why={unnotified} timezone={timezone} />
        ) : (
          <p class="note">
            <NotifiedLine notified={notified} now={now} timezone={timezone} />
          </p>
        )}
      </div>
      <div class="acts">
        {mayAs(viewer, "operator") ? (
          <>
            {isTaken ? null : <Acknowledge id={id} back="/" />}
            <PauseMenu to={`${jobPath(incident)}/pause`} back="/" />
          </>
        ) : null}
        <ButtonLink to={whyPath(incident, null)} kind="plain">
          Why?
        </ButtonLink>
        <ButtonLink to={incidentPath(id)} kind="plain">
          Story
        </ButtonLink>
      </div>
    </article>
  );
};
