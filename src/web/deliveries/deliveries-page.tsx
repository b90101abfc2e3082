// Draws the page of deliveries: how each destination does, and which deliveries wait, were given up and were sent.

import type { InPieces } from "../../domain/in-pieces.ts";
import { counted, grouped } from "../../domain/wording/spoken-time.ts";
import { failureParts } from "../../views/rows/destination-rows.ts";
import type { DeliverySummary } from "../../views/schemas/delivery-schemas.ts";
import { COUNTED_MOST, type DestinationHealth } from "../../views/shown-deliveries.ts";
import { listPage, type ReadList, readList, sectionParts } from "../list-page.tsx";
import { narrowedList } from "../list-query.ts";
import { Part, type Shown, shownParts } from "../live/live-part.tsx";
import { Act, ButtonLink } from "../parts/act.tsx";
import { Headline, type Saying } from "../parts/headline.tsx";
import { Ago, type Clocked } from "../parts/moment.tsx";
import { RowParts } from "../parts/row-parts.tsx";
import { Shape } from "../parts/shapes.tsx";
import { DELIVERIES_PATH, DESTINATIONS_PATH } from "../paths.ts";
import type { Asking } from "../signed-in.ts";
import { type Viewer, viewerMayAs } from "../viewer.ts";
import { DeliveryEntry } from "./entry.tsx";

export const deliveriesPage = (asking: Asking, lists: DeliveryLists, shown: Shown): Response =>
  listPage(asking, DELIVERIES_LIST, lists.query, sayingOf(lists), shown, <Part of={shown} id="destinations" />);

export function deliveriesShown(lists: DeliveryLists, viewer: Viewer): InPieces<Shown> {
  const back = viewerMayAs(viewer, "operator") ? DELIVERIES_LIST.path(lists.query) : null;
  return shownParts({
    headline: (
      <Headline saying={sayingOf(lists)}>
        <p class="note">times in {lists.timezone}</p>
      </Headline>
    ),
    ...(lists.destinations === null
      ? {}
      : {
          destinations: (
            <Destinations
              {...lists}
              destinations={lists.destinations}
              back={back}
              mayAdd={viewerMayAs(viewer, "admin")}
            />
          ),
        }),
    ...sectionParts(DELIVERIES_LIST, lists, NOTHING, (delivery, shown) => (
      <DeliveryEntry key={delivery.id} delivery={delivery} back={back} {...shown} />
    )),
  });
}

const NOTHING = {
  waiting: "Nothing waits.",
  given_up: "Nothing was given up.",
  sent: "Nothing has been sent yet.",
};

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

interface DestinationsProps extends Clocked {
  readonly destinations: readonly DestinationHealth[];
  /** The address of the page that is shown again after a test; `null` when the viewer may test no destination. */
  readonly back: string | null;
  readonly mayAdd: boolean;
}

const TAKES: Readonly<Record<DestinationHealth["takes"], string>> = {
  mail: "mail to each recipient",
  messages: "messages",
  events: "each event",
  incidents: "pages, one an incident",
  people: "notifications to each person who wants them",
};

const Destinations = ({ destinations, now, timezone, back, mayAdd }: DestinationsProps) => (
  <section id="destinations" class="group" aria-label="Destinations">
    <h2 class="group-head">
      Destinations
      {mayAdd ? (
        <ButtonLink to={DESTINATIONS_PATH} kind="plain">
          {destinations.length === 0 ? "Add one" : "Add or change"}
        </ButtonLink>
      ) : null}
    </h2>
    {destinations.length === 0 ? <p class="nothing">None: alerts stand in the log alone.</p> : null}
    <ul class="entries">
      {destinations.map((destination) => (
        <li key={destination.name} class="entry">
          <Shape health={destination.failing === null ? "healthy" : "critical"} />
          <div class="entry-what">
            <p>
              <span class="entry-name">{destination.name}</span> <span class="where">{TAKES[destination.takes]}</span>
            </p>
            <p class="note">
              <Fares destination={destination} now={now} timezone={timezone} />
              {destination.waiting === 0 ? "" : ` · ${countInWords(destination.waiting)} waiting`}
              {destination.givenUp === 0 ? "" : ` · ${countInWords(destination.givenUp)} given up`}
            </p>
          </div>
          {back === null ? null : (
            <div class="acts">
              <Act to={`${DELIVERIES_PATH}/test`} back={back} fields={{ destination: destination.name }}>
                Test <span class="unseen">{destination.name}</span>
              </Act>
            </div>
          )}
        </li>
      ))}
    </ul>
  </section>
);

const countInWords = (count: number): string => `${grouped(count)}${count < COUNTED_MOST ? "" : " or more"}`;

type FaresProps = Pick<DestinationsProps, "now" | "timezone"> & { readonly destination: DestinationHealth };

const Fares = ({ destination: { failing, arrivedAt }, now, timezone }: FaresProps) => {
  if (failing !== null)
    return (
      <span class="notified is-given_up">
        <RowParts parts={failureParts(failing, "when")} now={now} timezone={timezone} />
      </span>
    );
  if (arrivedAt === null) return <>nothing has been sent through it lately</>;
  return (
    <>
      {"took the last message "}
      <Ago at={arrivedAt} now={now} timezone={timezone} />
    </>
  );
};

type DeliveryPart = "all" | "waiting" | "given_up" | "sent";

const DELIVERIES_LIST = narrowedList<DeliveryPart>(DELIVERIES_PATH, "Which deliveries", {
  all: "All",
  waiting: "Waiting",
  given_up: "Given up",
  sent: "Sent",
});

interface DeliveryLists extends ReadList<DeliveryPart, DeliverySummary> {
  /** How each destination does; `null` when the viewer may not see the destinations. */
  readonly destinations: readonly DestinationHealth[] | null;
}

const LIMITS = { each: 20, alone: 50 };

export function* deliveryListsOf(asking: Asking): InPieces<DeliveryLists> {
  const { viewer, engine } = asking;
  const lists = yield* readList(asking, DELIVERIES_LIST, LIMITS, engine.views.deliveries);
  return { ...lists, destinations: viewer.applications === null ? engine.views.destinations() : null };
}
