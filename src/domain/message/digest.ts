// A digest: many openings, reminders or recoveries in one message for people (R39). Pure; the outbox decides which
// deliveries share one, and when.

import type { Instant } from "../time.ts";
import { type AlertMessage, MESSAGE_TYPES } from "./alert.ts";
import { type Tally, tallyWith } from "./tally.ts";

export type DigestKind = "opened" | "continued" | "recovered";

/** Up to this number, we send messages one by one (R39). */
export const SINGLES_MAX = 10;

/** If more than this wait at once, one digest names the first of them and counts the others (R39). */
export const NAMED_MAX = 1_000;

/** The message types that each kind of digest gathers. No other type ever goes into one. */
export const DIGESTED: Readonly<Record<DigestKind, readonly string[]>> = {
  opened: [MESSAGE_TYPES.InitialFailure, MESSAGE_TYPES.NeverExecuted],
  // Reminders, and causes that are new to an incident: both are continuing trouble.
  continued: [MESSAGE_TYPES.ContinuedFailure],
  recovered: [MESSAGE_TYPES.Recovered],
};

const KINDS = Object.keys(DIGESTED) as DigestKind[];

/** The digest that a message of this type may go into; null: none. */
export const digestKindOf = (type: string): DigestKind | null =>
  KINDS.find((kind) => DIGESTED[kind].includes(type)) ?? null;

/** We never store a digest or send one to programs; we do both with each of its alerts. */
export interface DigestMessage {
  readonly type: "monitor.digest";
  readonly at: Instant;
  readonly data: DigestData;
}

export interface DigestData {
  readonly kind: DigestKind;
  readonly teamName: string | null;
  /** In the order they became true; never empty. */
  readonly alerts: readonly [AlertMessage, ...AlertMessage[]];
  /** The alerts that it counts and does not name; null: it names all. */
  readonly others: Tally | null;
}

/** One message about all of these alerts; at least one. */
export function digestOf(kind: DigestKind, alerts: readonly AlertMessage[]): DigestMessage {
  const [first, ...others] = alerts.toSorted((a, b) => a.at - b.at);
  return {
    type: "monitor.digest",
    at: first!.at,
    data: { kind, teamName: first!.data.teamName, alerts: [first!, ...others], others: null },
  };
}

/** The same message, which counts these alerts too and does not name them. */
export const countingToo = (digest: DigestMessage, alerts: readonly AlertMessage[]): DigestMessage => ({
  ...digest,
  at: Math.min(digest.at, ...alerts.map(({ at }) => at)),
  data: { ...digest.data, others: tallyWith(digest.data.others, alerts) },
});
