// Who was told of an incident, and whether it arrived.

import type { Instant } from "../../domain/time.ts";
import type { Notified } from "../../views/answers/incidents.ts";
import { Ago } from "./moment.tsx";

const STATES: Readonly<Record<NotifiedDestination["state"], string>> = {
  sent: "",
  waiting: "waiting",
  under_way: "being sent",
  given_up: "given up",
};

export const ToldLine = ({
  told,
  now,
  timezone,
}: {
  told: readonly NotifiedDestination[];
  now: Instant;
  timezone: string;
}) =>
  told.length === 0 ? (
    <span class="is-untold">nobody was told: no destination is configured</span>
  ) : (
    <>
      {"told: "}
      {told.map(({ destination, recipient, state, at, answer }, place) => (
        <span key={place} class={`told is-${state}`} title={answer ?? ""}>
          {place === 0 ? "" : ", "}
          {recipient ?? destination} {STATES[state]}
          {at === null ? null : <Ago at={at} now={now} timezone={timezone} />}
        </span>
      ))}
    </>
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
  for (const { destination, recipient, state, finishedAt, answer } of messages.flatMap(
    ({ deliveries }) => deliveries,
  )) {
    addresses.set(`${destination} ${recipient ?? ""}`, { destination, recipient, state, at: finishedAt, answer });
  }
  return [...addresses.values()];
}
