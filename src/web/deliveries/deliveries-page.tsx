// The page of deliveries: how each destination fares, and what waits, was given up and was sent.

import { counted } from "../../domain/wording/spoken-time.ts";
import { COUNTED_MOST } from "../../engine/reads/look-destinations.ts";
import { Document } from "../document.tsx";
import { Live, Part } from "../live/live-part.tsx";
import { livePath } from "../live/live-path.ts";
import { type Shown, shownParts } from "../live/shown.ts";
import type { Look } from "../look.ts";
import { Headline, type Saying, titleOf } from "../parts/headline.tsx";
import { Further, Narrow } from "../parts/narrow.tsx";
import { mayAs, type Viewer } from "../viewer.ts";
import { Destinations } from "./destinations.tsx";
import { Entry } from "./entry.tsx";
import { DELIVERIES_LIST, type DeliveryLists, type DeliverySection } from "./list.ts";

interface PageProps {
  readonly viewer: Viewer;
  readonly look: Look;
  readonly lists: DeliveryLists;
  readonly shown: Shown;
  readonly applications: readonly string[];
}

export const DeliveriesPage = ({ viewer, look, lists, shown, applications }: PageProps) => {
  const saying = sayingOf(lists);
  const path = DELIVERIES_LIST.path(lists.query);
  return (
    <Document title={titleOf(saying)} tone={saying.tone} viewer={viewer} look={look} path={path}>
      <Live path={livePath(path, shown)}>
        <Part of={shown} id="headline" />
        <Part of={shown} id="destinations" />
        <Narrow list={DELIVERIES_LIST} query={lists.query} applications={applications} />
        {lists.sections.map(({ state }) => (
          <Part key={state} of={shown} id={`deliveries-${state}`} />
        ))}
      </Live>
    </Document>
  );
};

/** What changes of it while it is open. */
export function deliveriesShown(lists: DeliveryLists, viewer: Viewer): Shown {
  const back = mayAs(viewer, "operator") ? DELIVERIES_LIST.path(lists.query) : null;
  return shownParts({
    headline: <Headline saying={sayingOf(lists)} />,
    ...(lists.destinations === null
      ? {}
      : { destinations: <Destinations {...lists} destinations={lists.destinations} back={back} /> }),
    ...Object.fromEntries(
      lists.sections.map((section) => [
        `deliveries-${section.state}`,
        <Section section={section} lists={lists} back={back} />,
      ]),
    ),
  });
}

const NOTHING: Readonly<Record<DeliverySection["state"], string>> = {
  waiting: "Nothing waits.",
  given_up: "Nothing was given up.",
  sent: "Nothing has been sent yet.",
};

interface SectionProps {
  readonly section: DeliverySection;
  readonly lists: Pick<DeliveryLists, "query" | "now" | "timezone">;
  /** The page to come back to; null: the viewer may send nothing. */
  readonly back: string | null;
}

const Section = ({ section: { state, deliveries, older }, lists: { query, now, timezone }, back }: SectionProps) => (
  <section id={`deliveries-${state}`} class="group" aria-label={DELIVERIES_LIST.words[state]}>
    <h2 class="group-head">{DELIVERIES_LIST.words[state]}</h2>
    {deliveries.length === 0 ? (
      <p class="nothing">{older === null ? NOTHING[state] : "None among those looked at; there are older ones."}</p>
    ) : null}
    <ul class="entries">
      {deliveries.map((delivery) => (
        <Entry key={delivery.id} delivery={delivery} now={now} timezone={timezone} back={back} />
      ))}
    </ul>
    <Further
      newest={query.before === null ? null : DELIVERIES_LIST.path({ ...query, before: null })}
      older={older === null ? null : DELIVERIES_LIST.path({ ...query, show: state, before: older })}
    />
  </section>
);

function sayingOf({ destinations }: DeliveryLists): Saying {
  if (destinations === null) return { sentence: "What was told.", tone: "quiet" };
  if (destinations.length === 0)
    return { sentence: "No destination is configured: nobody is told of anything.", tone: "late" };
  const failing = destinations.filter(({ failing }) => failing !== null);
  if (failing.length > 0) {
    const [first] = failing;
    const takes = failing.length === 1 ? `“${first!.name}” takes` : `${counted(failing.length, "destination")} take`;
    return { sentence: `${takes} no messages.`, tone: "bad" };
  }
  const waiting = destinations.reduce((sum, one) => sum + one.waiting, 0);
  const atLeast = destinations.some((one) => one.waiting === COUNTED_MOST) ? "At least " : "";
  if (waiting > 0)
    return { sentence: `${atLeast}${counted(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}.`, tone: "late" };
  return { sentence: "Nothing waits to be told.", tone: "well" };
}
