// Defines a channel: an object that sends messages through one service, such as mail or Slack, and says how each
// attempt ended. `retry.ts` decides when another attempt follows.

import type { Log } from "../domain/log.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { ClaimedDelivery, Clock, SentDelivery } from "../engine/api.ts";

export interface Channel {
  /**
   * The most alerts that the channel names in one message (a digest, R39); that many fit when the names have an
   * ordinary length. Absent when the channel sends each alert as its own message.
   */
  readonly digests?: number;
  /**
   * True when the messages of this channel may hold the last output of the job (R46): only for mail and channels to
   * programs.
   */
  readonly takesOutput?: true;
  /** How many milliseconds the service wants us to wait after each message; absent when it wants no pause. */
  readonly restMs?: number;
  /** A delivery is given up this many milliseconds after it was created (R36); absent means a day. */
  readonly patienceMs?: number;
  /**
   * Makes one attempt to send. If the receiver or the network fails, the promise resolves with a verdict that says so.
   * It rejects only through a defect in our own code; the delivery is then tried again.
   */
  send(delivery: ClaimedDelivery, context: SendContext): Promise<Verdict>;
  /** Changes a message that was sent, so that it says what is true now; absent when the service cannot edit. */
  readonly edit?: (sent: SentDelivery) => Promise<Verdict>;
  /** Closes the incident that the service opened for this message; absent when the service keeps no incidents. */
  readonly takeBack?: (sent: SentDelivery) => Promise<Verdict>;
}

export interface ShownChannel extends Channel {
  preview(delivery: ClaimedDelivery, context: SendContext): string;
}

export interface SendContext {
  readonly sentAt: Instant;
  /** True for the plainest form of the message, because the receiver refused the full form for its content (R36). */
  readonly plain: boolean;
  /** The channel calls this once the whole message is written. From then on the receiver may have taken it. */
  readonly written?: () => void;
}

/**
 * Runs a program and tells how it ended: `exitCode` as a number, and `said` in words. `exitCode` is `null` when a
 * signal ended the program, or we ended it because its time was over (`isTimedOut`). It rejects when the program does
 * not start.
 */
export type RunProgram = (
  program: string,
  input: string,
  environment: Readonly<Record<string, string>>,
) => Promise<{ readonly exitCode: number | null; readonly said: string; readonly isTimedOut: boolean }>;

/** How one attempt to send ended. `answer` says in one line what the receiver answered, without URL or secret. */
export type Verdict =
  /** The receiver took the message. `sentAs` is the service's id of the message, by which it is edited later. */
  | { readonly verdict: "delivered"; readonly answer: string; readonly sentAs?: string }
  | {
      readonly verdict: "retry";
      readonly answer: string;
      /** How many milliseconds the receiver asked us to wait before the next attempt; absent when it did not ask. */
      readonly afterMs?: number;
      /** True when the failure is about this recipient alone; the destination may work for other recipients. */
      readonly recipientOnly?: true;
      /** True when the whole message was written and no response came, so that the receiver may have taken it. */
      readonly perhapsTaken?: true;
    }
  /** The receiver works, but it refuses this message. */
  | { readonly verdict: "rejected"; readonly answer: string }
  /** No message gets through until a person changes the configuration of rollcall or of the receiver. */
  | {
      readonly verdict: "blocked";
      readonly answer: string;
      readonly recipientOnly?: true;
      /** True when the content of this message may be the reason, for example for a filter in front of the receiver. */
      readonly perhapsContent?: true;
    }
  | { readonly verdict: "hopeless"; readonly answer: string; readonly recipientOnly?: true };

/** Returns the verdict on a message that was written as a whole but got no response within these milliseconds. */
export const withoutResponse = (milliseconds: number): Verdict => ({
  verdict: "retry",
  answer: `sent, no answer within ${milliseconds / SECOND} s: perhaps taken`,
  perhapsTaken: true,
});

export interface SendingParts {
  /** The channels by destination. A reload changes this map at any time, so each attempt looks its channel up. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  /** Since when the clock has not jumped: the start of this process, or the last time that the clock was set. */
  readonly steadySince: () => Instant;
  /** Returns a random number of at least 0 and below 1. */
  readonly random: () => number;
  readonly log: Log;
  /** Calls `run` after these milliseconds, in a later turn of the event loop. The returned function cancels that. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}
