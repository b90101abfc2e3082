// Draws what needs attention on the overview. Jobs that fell silent together share one card, other trouble has a line
// each, and acknowledged trouble is in a folded list.

import type { PropsWithChildren } from "hono/jsx";
import { numberRanges } from "../../domain/number-ranges.ts";
import type { Instant } from "../../domain/time.ts";
import { sentenceText } from "../../domain/wording/now.ts";
import { counted, grouped } from "../../domain/wording/spoken-time.ts";
import { MaintenanceNow } from "../maintenance/maintenance-routes.tsx";
import { Acknowledge, ButtonLink, PauseActs, Submit } from "../parts/act.tsx";
import { Ago, Sentence, When } from "../parts/moment.tsx";
import { NotifiedLine, Unnotified } from "../parts/notified-line.tsx";
import { Shape } from "../parts/shapes.tsx";
import { ACKNOWLEDGE_ALL_PATH, editPath, incidentPath, jobPath, MAINTENANCE_PATH, whyPath } from "../paths.ts";
import { nameOnPage, pageLine, pageLines } from "../shown.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";
import type { Need, Needs, Overview } from "./overview.ts";
import { acknowledgersOf } from "./saying.ts";

/** When at least this many incidents need attention, a button acknowledges all of them. */
const MANY_FROM = 4;

const MAINTENANCE_NAMED = 3;

type SeenNow = Readonly<{ now: Instant; viewer: Viewer }>;

type NeedsProps = SeenNow & Pick<Overview, "maintenances" | "timezone" | "together" | "alone" | "taken" | "troubles">;

export const NeedsPart = ({ together, alone, taken, troubles, maintenances, timezone, ...looked }: NeedsProps) => {
  const untaken = [...(together?.incidents ?? []), ...alone.incidents];
  return (
    <section id="needs" aria-label="What needs attention">
      {troubles.map((trouble) => (
        <p key={trouble} class="trouble">
          <Shape health="warning" />
          <span>rollcall itself: {trouble}.</span>
        </p>
      ))}
      {together === null ? null : <Together of={together} timezone={timezone} {...looked} />}
      <NeedRows of={alone} show="trouble" {...looked} />
      {alone.incidents.length === 0 || untaken.length < MANY_FROM ? null : (
        <AcknowledgeMany of={untaken} {...looked}>
          Acknowledge all {grouped(untaken.length)}
        </AcknowledgeMany>
      )}
      {taken.incidents.length === 0 ? null : (
        <details id="taken" class="taken">
          <summary class="unfold">
            Taken on:{" "}
            {acknowledgersOf(taken.incidents, looked.viewer)
              .map(({ who, count }) => `${who ?? "by command"} ${grouped(count)}`)
              .join(", ")}
          </summary>
          <NeedRows of={taken} show="taken" {...looked} />
        </details>
      )}
      {maintenances.slice(0, MAINTENANCE_NAMED).map((one) => (
        <MaintenanceNow key={one.id} one={one} now={looked.now} timezone={timezone} />
      ))}
      {maintenances.length <= MAINTENANCE_NAMED ? null : (
        <More to={MAINTENANCE_PATH} count={maintenances.length - MAINTENANCE_NAMED} />
      )}
    </section>
  );
};

const More = ({ to, count }: { to: string; count: number }) => (
  <p class="note">
    <a href={to}>and {grouped(count)} more</a>
  </p>
);

/**
 * The button that acknowledges the incidents `of`. An incident that was opened after the page was made is not
 * acknowledged.
 */
const AcknowledgeMany = ({
  of,
  viewer,
  children,
}: PropsWithChildren<SeenNow & Readonly<{ of: Needs["incidents"] }>>) =>
  viewerMayAs(viewer, "operator") ? (
    <form class="act" method="post" action={ACKNOWLEDGE_ALL_PATH} data-undo={counted(of.length, "incident")}>
      <input type="hidden" name="back" value="/" />
      <input type="hidden" name="only" value={numberRanges(of.map(({ id }) => id))} />
      <Submit kind="strong">{children}</Submit>
    </form>
  ) : null;

// Draws jobs that fell silent together as one trouble, because it most likely has one cause.

const SHARED_IN_WORDS: Readonly<Record<NonNullable<TogetherOf["shared"]>["of"], string>> = {
  address: "last reported from",
  source: "declared by",
  application: "of the application",
};

type TogetherOf = NonNullable<Overview["together"]>;

const Together = ({ of, timezone, ...looked }: SeenNow & { of: TogetherOf; timezone: string }) => {
  const { incidents, shown, from, to, shared, unnotified } = of;
  const clock = { now: looked.now, timezone };
  const [worst] = shown;
  return (
    <article class="need is-together" id="need-together" aria-labelledby="need-together-name">
      <Shape health="critical" />
      <h2 id="need-together-name">
        {counted(incidents.length, "job")} {from === to ? "have been silent since " : "stopped reporting between "}
        <When at={from} {...clock} />
        {from === to ? null : (
          <>
            {" "}
            and <When at={to} {...clock} />
          </>
        )}
        {shared === null ? "" : `, all ${SHARED_IN_WORDS[shared.of]} ${pageLine(shared.name)}`}
      </h2>
      {worst === undefined ? null : (
        <p class="sentence">
          The worst: <a href={jobPath(worst.incident)}>{nameOnPage(worst.incident)}</a>{" "}
          <Sentence parts={worst.sentence} timezone={worst.timezone} />
        </p>
      )}
      {unnotified > 0 ? (
        <p class="told is-not-notified">
          {unnotified === incidents.length
            ? "No one has been notified."
            : `No one has been notified of ${grouped(unnotified)}.`}
        </p>
      ) : worst === undefined ? null : (
        <Told need={worst} {...looked} />
      )}
      <div class="acts">
        <AcknowledgeMany of={incidents} {...looked}>
          Acknowledge {grouped(incidents.length)}
        </AcknowledgeMany>
      </div>
      <details class="together">
        <summary class="unfold">Show the {counted(incidents.length, "job")}</summary>
        <NeedRows of={of} show="trouble" {...looked} />
      </details>
    </article>
  );
};

// Draws one trouble as a line with one button; a menu "…" has the other actions.

const NeedRows = ({
  of: { incidents, shown },
  show,
  ...looked
}: SeenNow & { of: Needs; show: "trouble" | "taken" }) => (
  <>
    {shown.map((need) => (
      <NeedRow key={need.incident.id} need={need} {...looked} />
    ))}
    {incidents.length > shown.length ? <More to={`/?show=${show}`} count={incidents.length - shown.length} /> : null}
  </>
);

const NeedRow = ({ need, now, viewer }: SeenNow & { need: Need }) => {
  const { incident, apart, timezone, sentence } = need;
  const { id, application, attention, acknowledgedAt, acknowledgedBy } = incident;
  const isTaken = attention === "taken";
  const message = pageLines(incident.message ?? "");
  return (
    <article class={isTaken ? "need is-taken" : "need"} id={`need-${id}`} aria-labelledby={`need-${id}-name`}>
      <Shape health={isTaken ? "late" : "critical"} />
      <h2 id={`need-${id}-name`}>
        <a href={jobPath(incident)}>{nameOnPage(incident)}</a>{" "}
        <span class="where">{apart === "key" ? `${pageLine(incident.key)} · ${application}` : application}</span>
      </h2>
      <div class="sentence">
        <Sentence parts={sentence} timezone={timezone} />
        {isTaken || message === "" || sentenceText(sentence).endsWith(message) ? null : (
          <blockquote class="quote">{message}</blockquote>
        )}
      </div>
      {isTaken ? (
        <p class="told">
          {pageLine(acknowledgedBy ?? "taken on by command")}
          {acknowledgedAt === null ? null : (
            <>
              , <Ago at={acknowledgedAt} now={now} timezone={timezone} />
            </>
          )}
        </p>
      ) : (
        <Told need={need} now={now} viewer={viewer} />
      )}
      <div class="acts">
        {isTaken || !viewerMayAs(viewer, "operator") ? null : <Acknowledge id={id} back="/" />}
        <details class="menu" name="menu">
          <summary class="button is-plain" aria-label={`More about ${nameOnPage(incident)}`}>
            …
          </summary>
          <div class="menu-body">
            <ButtonLink to={whyPath(incident, null)} kind="plain">
              Why?
            </ButtonLink>
            <ButtonLink to={incidentPath(id)} kind="plain">
              Story
            </ButtonLink>
            {viewerMayAs(viewer, "operator") ? (
              <>
                <ButtonLink to={editPath(incident)} kind="plain">
                  Edit
                </ButtonLink>
                <PauseActs to={`${jobPath(incident)}/pause`} back="/" before="Pause " />
              </>
            ) : null}
          </div>
        </details>
      </div>
    </article>
  );
};

const Told = ({ need: { incident, notified, timezone }, now }: SeenNow & { need: Need }) =>
  incident.attention === "unnotified" ? (
    <div class="told">
      <Unnotified why={incident.unnotified} timezone={timezone} />
    </div>
  ) : (
    <p class="told">
      <NotifiedLine notified={notified} now={now} timezone={timezone} />
    </p>
  );
