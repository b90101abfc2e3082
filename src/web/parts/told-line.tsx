// Who was told of an incident, and whether it arrived.

import type { Instant } from "../../domain/time.ts";
import type { Told } from "../told.ts";
import { Ago } from "./moment.tsx";

const STATES: Readonly<Record<Told["state"], string>> = {
  sent: "",
  waiting: "waiting",
  under_way: "being sent",
  given_up: "given up",
};

export const ToldLine = ({ told, now, timezone }: { told: readonly Told[]; now: Instant; timezone: string }) =>
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
