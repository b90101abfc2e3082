// The type of a channel: a function that sends in one way and says how an attempt ended. `retry.ts` decides how often
// to try.

import type { Log } from "../domain/log.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import type { ClaimedDelivery, Clock, SentDelivery } from "../engine/api.ts";

export interface Channel {
  /**
   * How many alerts, with names of ordinary length, fit into one message to people (R39); absent when each alert is a
   * message by itself.
   */
  readonly digests?: number;
  /**
   * Whether the channel is sent what jobs wrote (R46). Only channels for programs and for people who read long texts
   * are.
   */
  readonly takesOutput?: true;
  /** How long the receivers want a pause after each message, in milliseconds; absent when they name none. */
  readonly restMs?: number;
  /** After how many milliseconds from its creation a delivery is given up (R36); absent means a day. */
  readonly patienceMs?: number;
  /**
   * Makes one attempt. A failure outside this process is a verdict; a rejection is a defect of ours and counts as a
   * passing failure.
   */
  send(delivery: ClaimedDelivery, context: SendContext): Promise<Verdict>;
  /** Replaces a sent message by what would be sent now; absent when the service cannot edit messages. */
  readonly edit?: (sent: SentDelivery) => Promise<Verdict>;
  /** Ends the incident that the service keeps open until we end it; absent when the service keeps no incidents. */
  readonly takeBack?: (sent: SentDelivery) => Promise<Verdict>;
}

export interface ShownChannel extends Channel {
  preview(delivery: ClaimedDelivery, context: SendContext): string;
}

export interface SendContext {
  readonly sentAt: Instant;
  /** True when the receiver refused the full form for its content, so that the plainest form is sent (R36). */
  readonly plain: boolean;
  /** The channel calls this once the whole message is written: from then on the receiver may have taken it. */
  readonly written?: () => void;
}

/**
 * Runs a program. `exitCode` is `null` when a signal ended the program or its time was over (`isLate`); `said` tells
 * how it ended. The promise rejects when the program does not start.
 */
export type RunProgram = (
  program: string,
  input: string,
  environment: Readonly<Record<string, string>>,
) => Promise<{ readonly exitCode: number | null; readonly said: string; readonly isLate: boolean }>;

/** How one attempt ended. `answer` is for people: one line of what the other side said, never a URL or a secret. */
export type Verdict =
  /**
   * The receiver took the message. `sentAs` is the id that its service gave to the message, by which it can be edited.
   */
  | { readonly verdict: "delivered"; readonly answer: string; readonly sentAs?: string }
  | {
      readonly verdict: "retry";
      readonly answer: string;
      /** How many milliseconds the other side asked us to wait. */
      readonly afterMs?: number;
      /** True when only this recipient fails, so the destination itself works. */
      readonly recipientOnly?: true;
      /** True when the whole message was written and no response came. */
      readonly perhapsTaken?: true;
    }
  /** The receiver takes messages, but not this one. */
  | { readonly verdict: "rejected"; readonly answer: string }
  /** No message will get through until the operator changes our configuration or the receiver's. */
  | {
      readonly verdict: "blocked";
      readonly answer: string;
      readonly recipientOnly?: true;
      /** True when a filter on the way may have refused the content. */
      readonly perhapsContent?: true;
    }
  | { readonly verdict: "hopeless"; readonly answer: string; readonly recipientOnly?: true };

/** The verdict on a message that was written as a whole and got no response within this time. */
export const withoutResponse = (milliseconds: number): Verdict => ({
  verdict: "retry",
  answer: `sent, no answer within ${milliseconds / SECOND} s: perhaps taken`,
  perhapsTaken: true,
});

export interface SendingParts {
  /**
   * The channels by their destinations' names. The map may change at any time: the next message takes the channel that
   * is there then.
   */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  /** The instant of this process's start, or of the clock's last step if that is later. */
  readonly steadySince: () => Instant;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly log: Log;
  /**
   * Calls `run` once after this number of milliseconds, in a later turn of the event loop; the returned function
   * cancels the call.
   */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}
