// Who was told of an incident, and whether it arrived.

import type { SaidPart } from "../../domain/wording/now.ts";
import { endOfOutput, linesBefore } from "../../domain/wording/output.ts";
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
  // Behind "told" a time says that it has arrived.
  if (delivery.state === "sent")
    return delivery.finishedAt === null ? null : <Ago at={delivery.finishedAt} {...clock} />;
  return <RowParts parts={deliveryState(delivery, clock.now, "ago")} {...clock} />;
};

/** `why`: no message about an incident has arrived; empty: one has. `timezone`: of its job's schedule. */
export const Unnotified = ({ why, timezone }: { why: readonly SaidPart[]; timezone: string }) =>
  why.length === 0 ? null : (
    <p class="is-not-notified">
      <Sentence parts={why} timezone={timezone} />
    </p>
  );

// Who was told of an incident: each address once, with what became of the newest message to it.

export type NotifiedAddress = Notified["deliveries"][number];

export function addressesOf(messages: readonly Notified[]): NotifiedAddress[] {
  const addresses = new Map<string, NotifiedAddress>();
  for (const { deliveries } of messages)
    for (const delivery of deliveries) addresses.set(`${delivery.destination} ${delivery.recipient ?? ""}`, delivery);
  return [...addresses.values()];
}

// What a failing job wrote last (R46): the end at once, the rest when asked. Text, never markup.

/** As many as a person takes in at a glance. Lines. */
const AT_ONCE = 12;

export const OUTPUT_HEAD = "The last lines of this failure";

/** Nothing for a report without one. */
export const Output = ({ text }: { text: string | null }) => {
  if (text === null) return null;
  const { before, end } = endOfOutput(text, AT_ONCE);
  return (
    <figure class="output">
      <figcaption>{OUTPUT_HEAD}</figcaption>
      {before.length === 0 ? null : (
        <details>
          <summary class="unfold">{linesBefore(before.length)}</summary>
          <pre dir="auto">{before.join("\n")}</pre>
        </details>
      )}
      <pre dir="auto">{end.join("\n")}</pre>
    </figure>
  );
};
