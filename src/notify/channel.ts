// What a channel is: one way to send, one function. A channel says how an attempt ended and never how often to try;
// that is retry.ts, the same for all.

import type { Instant } from "../domain/time.ts";
import type { ClaimedDelivery } from "../engine/api.ts";

export interface Channel {
  /** How many alerts it can tell with one message to people (R39); absent: each is a message of its own. */
  readonly digests?: number;
  /** Its receivers want to be left alone so long after each message, in milliseconds; absent: they do not say so. */
  readonly restMs?: number;
  /** So long after its creation a delivery is given up, in milliseconds (R36); absent: after a day. */
  readonly patienceMs?: number;
  /** One attempt. What can go wrong out there is a verdict; a rejection is a defect and counts as one that may pass. */
  send(delivery: ClaimedDelivery, context: SendContext): Promise<Verdict>;
}

export interface SendContext {
  readonly sentAt: Instant;
  /** The full form was rejected for its content: send the plainest one there is (R36). */
  readonly plain: boolean;
}

/** How one attempt ended. `answer` is for people: what the other side said, in a line; never a URL or a secret. */
export type Verdict =
  | { readonly verdict: "delivered"; readonly answer: string }
  | {
      readonly verdict: "retry";
      readonly answer: string;
      /** The other side asked to be left alone this long, in milliseconds. */
      readonly afterMs?: number;
      /** Only this recipient is concerned: the destination itself works. */
      readonly recipientOnly?: true;
    }
  /** The other side takes messages, but not this one. */
  | { readonly verdict: "rejected"; readonly answer: string }
  /** Nothing will get through until somebody changes the configuration, here or there. */
  | {
      readonly verdict: "blocked";
      readonly answer: string;
      /** As above. */
      readonly recipientOnly?: true;
      /** Something on the way there may have taken offence at what the message says. */
      readonly perhapsContent?: true;
    }
  /** No further attempt can succeed. */
  | { readonly verdict: "hopeless"; readonly answer: string };
