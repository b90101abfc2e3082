// Replies to alerts from the services where people read them (R23). All take the same way: which reply to which message
// is meant, what it does in the name of the destination's person, and a sentence that says what was done.

import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import { REPLIES, type Reply } from "../domain/people/reply.ts";
import { orElse } from "../domain/unless-missing.ts";
import { isElsewhere, type RepliedMessage, type Replies, type ReplyView } from "../engine/operations/take-reply.ts";

/** The reply to a message of ours that a service has sent; `null` when what came is no such reply. */
export type Pressed = (Readonly<{ reply: Reply }> & RepliedMessage) | null;

/**
 * What became of a reply. `seen` is `null` when it was refused; `said` then has the reason. `isKnown` says that the
 * message is ours.
 */
export type TakenReply = Readonly<{ said: string; seen: ReplyView | null; isKnown: boolean }>;

export type TakeReply = ReturnType<typeof createTakeReply>;

const ELSEWHERE = refuse("ACCESS_DENIED", "answers from this chat are not taken");
const NO_REPLY = refuse("INVALID_REQUEST", "this is no answer to an alert");
const NOT_NOW = refuse("STORAGE_UNAVAILABLE", "that cannot be done right now; press it again in a moment");

/**
 * Makes the function that takes replies, which never throws. When several destinations share a chat or a secret, all
 * but the message's own refuse the reply.
 */
export const createTakeReply =
  ({ take }: Pick<Replies, "take">) =>
  (address: string, from: readonly Readonly<{ name: string }>[], pressed: Pressed): TakenReply => {
    const tried = from.map(({ name: destination }) =>
      orElse(NOT_NOW, () => (pressed === null ? NO_REPLY : take({ ...pressed, destination, address }, pressed.reply))),
    );
    const own = tried.find((one) => !isRefusal(one)) ?? tried.find((one) => !isElsewhere(one));
    const seen = own ?? (tried[0] as Refusal | undefined) ?? ELSEWHERE;
    if (isRefusal(seen)) return { said: seen.message, seen: null, isKnown: seen.refusal !== "NOT_FOUND" };
    return { said: `${seen.person.name}: ${REPLIES[pressed!.reply]}`, seen, isKnown: true };
  };
