// Answers to alerts from the services where people read them (R23). All take the same way: which act on which message
// is meant, what the act does in the name of the destination's person, and a sentence about the result.

import { isRefusal, type Refusal, refuse } from "../domain/errors.ts";
import { ANSWERS, type AnswerAct } from "../domain/people/reply.ts";
import { orElse } from "../domain/unless-missing.ts";
import { type AnsweredMessage, type Answers, isElsewhere, type SeenAnswer } from "../engine/operations/take-reply.ts";

/** `null` when what came is no answer to a message of ours. */
export type Pressed = (Readonly<{ act: AnswerAct }> & AnsweredMessage) | null;

/**
 * `seen` is `null` when the answer was refused; `said` then has the reason. `isKnown` says that the answered message is
 * ours.
 */
export type AnswerSaid = Readonly<{ said: string; seen: SeenAnswer | null; isKnown: boolean }>;

export type TakeAnswer = ReturnType<typeof createTakeAnswer>;

const ELSEWHERE = refuse("ACCESS_DENIED", "answers from this chat are not taken");
const NO_ANSWER = refuse("INVALID_REQUEST", "this is no answer to an alert");
const NOT_NOW = refuse("STORAGE_UNAVAILABLE", "that cannot be done right now; press it again in a moment");

/** When several destinations share a chat or a secret, all but the message's own refuse the answer. It never throws. */
export const createTakeAnswer =
  ({ act }: Pick<Answers, "act">) =>
  (address: string, from: readonly Readonly<{ name: string }>[], pressed: Pressed): AnswerSaid => {
    const tried = from.map(({ name: destination }) =>
      orElse(NOT_NOW, () => (pressed === null ? NO_ANSWER : act({ ...pressed, destination, address }, pressed.act))),
    );
    const own = tried.find((one) => !isRefusal(one)) ?? tried.find((one) => !isElsewhere(one));
    const seen = own ?? (tried[0] as Refusal | undefined) ?? ELSEWHERE;
    if (isRefusal(seen)) return { said: seen.message, seen: null, isKnown: seen.refusal !== "NOT_FOUND" };
    return { said: `${seen.person.name}: ${ANSWERS[pressed!.act]}`, seen, isKnown: true };
  };
