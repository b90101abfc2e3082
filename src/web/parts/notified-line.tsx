// Tells who was notified of an incident and whether the message has arrived, and shows the output of a failing job.

import { endOfOutput } from "../../domain/output/kept-output.ts";
import type { WordedPart } from "../../domain/wording/now.ts";
import { linesBeforeInWords } from "../../domain/wording/output.ts";
import { deliveryState } from "../../views/rows/delivery-rows.ts";
import type { Notified } from "../../views/schemas/incident-schemas.ts";
import { Ago, type Clocked, Sentence } from "./moment.tsx";
import { RowParts } from "./row-parts.tsx";

export const NotifiedLine = ({ notified, ...clock }: Clocked & { notified: readonly NotifiedAddress[] }) =>
  notified.length === 0 ? (
    <span class="is-not-notified">nobody was told: no destination is configured to hear of it</span>
  ) : (
    <>
      {notified.every(({ state }) => state === "not_sent") ? "told: no one" : "told: "}
      {notified
        .filter(({ state }) => state !== "not_sent")
        .map((delivery, place) => (
          <span key={place} class={`notified is-${delivery.state}`} title={delivery.answer ?? ""}>
            {place === 0 ? "" : ", "}
            {delivery.recipient ?? delivery.destination} <Told delivery={delivery} {...clock} />
          </span>
        ))}
    </>
  );

const Told = ({ delivery, ...clock }: Clocked & { delivery: NotifiedAddress }) => {
  // A message that has arrived is told by its time alone, because the line begins with the word "told".
  if (delivery.state === "sent")
    return delivery.finishedAt === null ? null : <Ago at={delivery.finishedAt} {...clock} />;
  return <RowParts parts={deliveryState(delivery, clock.now, "ago")} {...clock} />;
};

/**
 * The line that says why no message about an incident has arrived; `why` is empty when one has. `timezone` is the zone
 * of the job's schedule.
 */
export const Unnotified = ({ why, timezone }: { why: readonly WordedPart[]; timezone: string }) =>
  why.length === 0 ? null : (
    <p class="is-not-notified">
      <Sentence parts={why} timezone={timezone} />
    </p>
  );

// Lists the addresses that were notified of an incident. Each is listed once, with the state of the newest message to
// it.

export type NotifiedAddress = Notified["deliveries"][number];

export function notifiedAddressesOf(messages: readonly Notified[]): NotifiedAddress[] {
  const addresses = new Map<string, NotifiedAddress>();
  for (const { deliveries } of messages)
    for (const delivery of deliveries) addresses.set(`${delivery.destination} ${delivery.recipient ?? ""}`, delivery);
  return [...addresses.values()];
}

// Shows the last output of a failing job (R46): the last lines at once, the lines before on request. The output is
// shown as text, never as HTML.

/** How many of the last lines are shown at once: as many as a person takes in at a glance. */
const AT_ONCE = 12;

export const OUTPUT_HEAD = "The last lines of this failure";

export const Output = ({ text }: { text: string | null }) => {
  if (text === null) return null;
  const { before, end } = endOfOutput(text, AT_ONCE);
  return (
    <figure class="output">
      <figcaption>{OUTPUT_HEAD}</figcaption>
      {before.length === 0 ? null : (
        <details>
          <summary class="unfold">{linesBeforeInWords(before.length)}</summary>
          <pre dir="auto">{before.join("\n")}</pre>
        </details>
      )}
      <pre dir="auto">{end.join("\n")}</pre>
    </figure>
  );
};
