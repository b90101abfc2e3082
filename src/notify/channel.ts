// A channel: one function that sends one way, and says how an attempt ended, never how often to try.

import type { Log } from "../domain/log.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { ClaimedDelivery, Clock, SentDelivery } from "../engine/api.ts";

export interface Channel {
  /** How many alerts one message to people can report (R39), with ordinary names; absent: each is its own message. */
  readonly digests?: number;
  /** Whether what jobs wrote goes there (R46): only where people read at length, or programs; absent: it does not. */
  readonly takesOutput?: true;
  /** How long its receivers want a pause after each message, in milliseconds; absent: they do not say. */
  readonly restMs?: number;
  /** We give up a delivery this long after its creation, in milliseconds (R36); absent: after a day. */
  readonly patienceMs?: number;
  /** One attempt. Failures outside are verdicts; a rejection is a defect and counts as a passing failure. */
  send(delivery: ClaimedDelivery, context: SendContext): Promise<Verdict>;
  /** Shows in place of what was sent what would be sent now; absent: it stays as it is. */
  readonly edit?: (sent: SentDelivery) => Promise<Verdict>;
  /** Ends what stands open at the service until we end it; absent: nothing does. */
  readonly takeBack?: (sent: SentDelivery) => Promise<Verdict>;
}

export interface ShownChannel extends Channel {
  preview(delivery: ClaimedDelivery, context: SendContext): string;
}

export interface SendContext {
  readonly sentAt: Instant;
  /** The full form was rejected for its content: send the plainest one (R36). */
  readonly plain: boolean;
  /** To be called once the whole message is written: from then on it may have been taken. */
  readonly written?: () => void;
}

/**
 * `exitCode` null: a signal ended it, or its time was over (`isLate`). `said`: how it ended. Rejects where it does not
 * start.
 */
export type RunProgram = (
  program: string,
  input: string,
  environment: Readonly<Record<string, string>>,
) => Promise<{ readonly exitCode: number | null; readonly said: string; readonly isLate: boolean }>;

/** How one attempt ended. `answer` is for people: one line of what the other side said, never a URL or a secret. */
export type Verdict =
  /** `sentAs`: what the service calls the message. */
  | { readonly verdict: "delivered"; readonly answer: string; readonly sentAs?: string }
  | {
      readonly verdict: "retry";
      readonly answer: string;
      /** The other side asked for a pause this long, in milliseconds. */
      readonly afterMs?: number;
      /** Only this recipient fails: the destination itself works. */
      readonly recipientOnly?: true;
      /** The whole message was written, and nothing was answered. */
      readonly perhapsTaken?: true;
    }
  /** The other side takes messages, but not this one. */
  | { readonly verdict: "rejected"; readonly answer: string }
  /** Nothing will get through until the operator changes the configuration, ours or the receiver's. */
  | {
      readonly verdict: "blocked";
      readonly answer: string;
      readonly recipientOnly?: true;
      /** A filter on the way may have refused the content. */
      readonly perhapsContent?: true;
    }
  | { readonly verdict: "hopeless"; readonly answer: string; readonly recipientOnly?: true };

/** How a message ended that was written as a whole and not answered within this time. */
export const unanswered = (milliseconds: number): Verdict => ({
  verdict: "retry",
  answer: `sent, no answer within ${milliseconds / SECOND} s: perhaps taken`,
  perhapsTaken: true,
});

export interface SendingParts {
  /** By the destination's name. May be replaced at any time: the next message takes what is there. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  /** The start of this process, or the last step of the clock. */
  readonly steadySince: () => Instant;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Calls `run` once after this number of milliseconds, in a later turn of the event loop; the answer calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}
