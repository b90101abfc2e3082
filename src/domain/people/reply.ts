// Replies to an alert, which people give by a link, a button or a typed word: which there are, what they are called,
// for how long they are accepted, and under which name they are recorded.

import { memberAt, type Policy, type Route } from "../settings/policy.ts";
import { DAY } from "../time.ts";

/** The replies, each with the text of its button. */
export const REPLIES = {
  ack: "Acknowledge",
  hour: "Pause for 1 hour",
  tomorrow: "Pause until tomorrow 08:00",
  resolve: "Resolve",
} as const;

export type Reply = keyof typeof REPLIES;

/** What people type for each reply where a message has no buttons. */
export const TYPED_REPLIES: Readonly<Record<Reply, string>> = {
  ack: "ack",
  hour: "pause 1h",
  tomorrow: "pause tomorrow",
  resolve: "resolve",
};

export const REPLY_WORDS = Object.keys(REPLIES) as readonly Reply[];

export const isReply = (text: string): text is Reply => Object.hasOwn(REPLIES, text);

/** For how many milliseconds after an alert its replies are accepted. */
export const REPLIES_TAKEN_FOR = 7 * DAY;

/**
 * The name under which a reply from this destination and recipient is recorded: the `answers` of the member with this
 * mail address, otherwise the `answers` of the destination. `null` when no reply from them is taken.
 */
export function replierOf({ destinations, team }: Policy, { destination, recipient }: Route): string | null {
  const rules = destinations.get(destination);
  return rules === undefined ? null : (memberAt(team, recipient)?.answers ?? rules.answers ?? null);
}

/** All names under which replies from the addresses of this destination are recorded. */
export function repliersOf({ destinations, team }: Policy, destination: string): string[] {
  const rules = destinations.get(destination);
  const members = rules?.takes === "mail" ? team.members : [];
  return [rules, ...members].flatMap((one) => one?.answers ?? []);
}
