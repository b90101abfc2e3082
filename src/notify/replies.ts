// Takes replies to alerts, from whatever service people read alerts on (R23). It finds the message that is meant, and
// lets the reply act in the name of the destination's person. It returns a sentence that says what was done.

import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import { REPLIES, type Reply } from "../domain/people/reply.ts";
import { orElse } from "../domain/unless-missing.ts";
import {
  mayBeReplyElsewhere,
  type RepliedMessage,
  type Replies,
  type ReplyView,
} from "../engine/operations/take-reply.ts";

/** A reply to a message of ours, as a service sent it; `null` when what the service sent is no such reply. */
export type Pressed = (Readonly<{ reply: Reply }> & RepliedMessage) | null;

/**
 * `said` is the sentence for the person; for a refused reply it says why, and `seen` is `null`. `isKnown` is false for
 * a reply to no message of ours.
 */
export type TakenReply = Readonly<{ said: string; seen: ReplyView | null; isKnown: boolean }>;

export type TakeReply = ReturnType<typeof createTakeReply>;

const ELSEWHERE = refuse("ACCESS_DENIED", "answers from this chat are not taken");
const NO_REPLY = refuse("INVALID_REQUEST", "this is no answer to an alert");
const NOT_NOW = refuse("STORAGE_UNAVAILABLE", "that cannot be done right now; press it again in a moment");

/**
 * Makes the function that takes replies; it never throws. `from` are the destinations that share the chat or secret
 * from which the reply came. Only the destination that sent the message accepts the reply.
 */
export const createTakeReply =
  ({ take }: Pick<Replies, "take">) =>
  (address: string, from: readonly Readonly<{ name: string }>[], pressed: Pressed): TakenReply => {
    const tried = from.map(({ name: destination }) =>
      orElse(NOT_NOW, () => (pressed === null ? NO_REPLY : take({ ...pressed, destination, address }, pressed.reply))),
    );
    const own = tried.find((one) => !isRefusal(one)) ?? tried.find((one) => !mayBeReplyElsewhere(one));
    const seen = own ?? (tried[0] as Refusal | undefined) ?? ELSEWHERE;
    if (isRefusal(seen)) return { said: seen.message, seen: null, isKnown: seen.refusal !== "NOT_FOUND" };
    return { said: `${seen.person.name}: ${REPLIES[pressed!.reply]}`, seen, isKnown: true };
  };
