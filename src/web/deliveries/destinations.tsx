// How each destination fares, with a button that tests it.

import type { Instant } from "../../domain/time.ts";
import { COUNTED_MOST, type DestinationStanding } from "../../engine/reads/look-destinations.ts";
import { Act } from "../parts/act.tsx";
import { Ago } from "../parts/moment.tsx";
import { Shape } from "../parts/shapes.tsx";
import { DELIVERIES_PATH } from "../paths.ts";
import { shownLine } from "../shown.ts";

interface DestinationsProps {
  readonly destinations: readonly DestinationStanding[];
  readonly now: Instant;
  readonly timezone: string;
  /** The page to come back to; null: the viewer may test none. */
  readonly back: string | null;
}

const TAKES: Readonly<Record<DestinationStanding["takes"], string>> = {
  mail: "mail to each recipient",
  messages: "messages",
  incidents: "pages, one an incident",
};

export const Destinations = ({ destinations, now, timezone, back }: DestinationsProps) => (
  <section id="destinations" class="group" aria-label="Destinations">
    <h2 class="group-head">Destinations</h2>
    {destinations.length === 0 ? (
      <p class="nothing">None: name one under [destinations] in the configuration.</p>
    ) : null}
    <ul class="entries">
      {destinations.map((destination) => (
        <li key={destination.name} class="entry">
          <Shape standing={destination.failing === null ? "healthy" : "critical"} />
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

const countInWords = (count: number): string => (count < COUNTED_MOST ? `${count}` : `${COUNTED_MOST} or more`);

type FaresProps = Pick<DestinationsProps, "now" | "timezone"> & { readonly destination: DestinationStanding };

const Fares = ({ destination: { failing, arrivedAt }, now, timezone }: FaresProps) => {
  if (failing !== null)
    return (
      <span class="told is-given_up">
        {"first failed "}
        <Ago at={failing.since} now={now} timezone={timezone} />, answered last: {shownLine(failing.answer)}
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
