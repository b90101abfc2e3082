// Who was told of an incident, and whether it arrived.

import type { Instant } from "../../domain/time.ts";
import type { SaidPart } from "../../domain/wording/now.ts";
import { endOfOutput, linesBefore } from "../../domain/wording/output.ts";
import type { Notified } from "../../views/answers/incidents.ts";
import { Ago, type Clocked, Sentence } from "./moment.tsx";

const STATES: Readonly<Record<NotifiedDestination["state"], string>> = {
  sent: "",
  waiting: "waiting",
  under_way: "being sent",
  given_up: "given up",
  not_sent: "",
};

export const NotifiedLine = ({ notified, ...shown }: Clocked & { notified: readonly NotifiedDestination[] }) =>
  notified.length === 0 ? (
    <span class="is-not-notified">nobody was told: no destination is configured to hear of it</span>
  ) : (
    <>
      {notified.every(({ state }) => state === "not_sent") ? "told: no one" : "told: "}
      {notified
        .filter(({ state }) => state !== "not_sent")
        .map(({ destination, recipient, state, at, answer }, place) => (
          <span key={place} class={`notified is-${state}`} title={answer ?? ""}>
            {place === 0 ? "" : ", "}
            {recipient ?? destination} {STATES[state]}
            {at === null ? null : <Ago at={at} {...shown} />}
          </span>
        ))}
    </>
  );

/** `why`: no message about an incident has arrived; empty: one has. `timezone`: of its job's schedule. */
export const Unnotified = ({ why, timezone }: { why: readonly SaidPart[]; timezone: string }) =>
  why.length === 0 ? null : (
    <p class="is-not-notified">
      <Sentence parts={why} timezone={timezone} />
    </p>
  );

// Who was told of an incident: each address once, with what became of the newest message to it.

export interface NotifiedDestination {
  readonly destination: string;
  readonly recipient: string | null;
  readonly state: Notified["deliveries"][number]["state"];
  /** When it arrived or was given up; null: neither yet. */
  readonly at: Instant | null;
  readonly answer: string | null;
}

export function addressesOf(messages: readonly Notified[]): NotifiedDestination[] {
  const addresses = new Map<string, NotifiedDestination>();
  for (const { deliveries } of messages)
    for (const { destination, recipient, state, finishedAt, answer } of deliveries)
      addresses.set(`${destination} ${recipient ?? ""}`, { destination, recipient, state, at: finishedAt, answer });
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
