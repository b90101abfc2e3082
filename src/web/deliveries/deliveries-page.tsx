// The page of deliveries: how each destination fares, and what waits, was given up and was sent.

import type { Instant } from "../../domain/time.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { DestinationStanding } from "../../engine/reads/look-destinations.ts";
import { Document } from "../document.tsx";
import { listPath } from "../list-query.ts";
import type { Look } from "../look.ts";
import { Further, Narrow } from "../parts/narrow.tsx";
import { DELIVERIES_PATH } from "../paths.ts";
import { mayAs, type Viewer } from "../viewer.ts";
import { Destinations } from "./destinations.tsx";
import { Entry } from "./entry.tsx";
import { type DeliveriesQuery, type DeliverySection, PARTS } from "./list.ts";

interface DeliveriesProps {
  readonly viewer: Viewer;
  readonly look: Look;
  readonly query: DeliveriesQuery;
  readonly sections: readonly DeliverySection[];
  /** Null: they are not this viewer's. */
  readonly destinations: readonly DestinationStanding[] | null;
  readonly applications: readonly string[];
  readonly now: Instant;
  readonly timezone: string;
}

const PART_WORDS = { all: "All", waiting: "Waiting", given_up: "Given up", sent: "Sent" } as const;

const NOTHING = {
  waiting: "Nothing waits.",
  given_up: "Nothing was given up.",
  sent: "Nothing has been sent yet.",
} as const;

const pathOf = (query: DeliveriesQuery): string => listPath(DELIVERIES_PATH, query, PARTS);

export const DeliveriesPage = (props: DeliveriesProps) => {
  const { viewer, look, query, sections, destinations, applications, now, timezone } = props;
  const { sentence, tone } = headlineOf(destinations);
  const back = pathOf(query);
  return (
    <Document title={sentence.replace(/\.$/, "")} tone={tone} viewer={viewer} look={look} path={back}>
      <header class="head">
        <h1 class={`headline is-${tone}`}>{sentence}</h1>
      </header>
      {destinations === null ? null : (
        <Destinations
          destinations={destinations}
          now={now}
          timezone={timezone}
          back={back}
          mayTest={mayAs(viewer, "operator")}
        />
      )}
      <Narrow
        path={DELIVERIES_PATH}
        label="Which deliveries"
        words={PART_WORDS}
        shown={query.show}
        parts={PARTS}
        to={(show) => pathOf({ ...query, show, before: null })}
        app={query.app}
        applications={applications}
      />
      {sections.map(({ state, deliveries, more }) => (
        <section key={state} class="group" aria-label={PART_WORDS[state]}>
          <h2 class="group-head">{PART_WORDS[state]}</h2>
          {deliveries.length === 0 ? (
            <p class="nothing">{NOTHING[state]}</p>
          ) : (
            <ul class="entries">
              {deliveries.map((delivery) => (
                <Entry
                  key={delivery.id}
                  delivery={delivery}
                  now={now}
                  timezone={timezone}
                  back={mayAs(viewer, "operator") ? back : null}
                />
              ))}
            </ul>
          )}
          <Further
            newest={query.before === null ? null : pathOf({ ...query, before: null })}
            older={more ? pathOf({ ...query, show: state, before: deliveries.at(-1)?.id ?? null }) : null}
          />
        </section>
      ))}
    </Document>
  );
};

function headlineOf(destinations: DeliveriesProps["destinations"]): {
  readonly sentence: string;
  readonly tone: "bad" | "late" | "well" | "quiet";
} {
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
  if (waiting > 0)
    return { sentence: `${counted(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}.`, tone: "late" };
  return { sentence: "Nothing waits to be told.", tone: "well" };
}
