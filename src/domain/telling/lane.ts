// A lane holds what one receiver (a destination and recipient) is told of one monitor (R36, R38). plan.ts decides about
// one lane at a time. This file has the types, and how a message changes what the receiver knows. Pure.

import { type AlertKind, isTrouble, type Reason } from "../message/alert.ts";
import type { Severity } from "../message/presentation.ts";
import type { Cause } from "../monitor/incident.ts";
import { isSameTrouble } from "../settings/flapping.ts";
import type { Hearing } from "../settings/hearing.ts";
import type { Instant } from "../time.ts";

/**
 * The trouble that the receiver knows, or will know: its newest message of trouble. A message that ends the trouble
 * clears it.
 */
export interface KnownTrouble {
  /** The id of the delivery that tells the receiver. */
  readonly by: number;
  readonly incident: number;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** When the trouble began. */
  readonly at: Instant;
  /**
   * How far the receiver knows it. `unsure`: the delivery was given up but may have arrived; `waiting`: it has not been
   * sent yet.
   */
  readonly state: "sent" | "unsure" | "waiting";
}

/**
 * A message that has not been sent yet. `incident` is `null` for a notice, and for the end of an incident that a
 * restore lost.
 */
export interface LaneMessage {
  readonly id: number;
  readonly incident: number | null;
  /** The kind of the alert; `null` for a notice. */
  readonly kind: AlertKind | null;
  readonly reason: Reason | null;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** The instant at which the message's statement became true. */
  readonly at: Instant;
  readonly written: Instant;
  /** The instant from which the wait of an opening under `after` counts. */
  readonly from: Instant;
  /**
   * True for the end of the second or a later failure of a series (flapping.ts), and for a reminder about several
   * failures.
   */
  readonly isOfSeries: boolean;
  /** The name of the rota through which the message goes, or `null` when the destination is named itself. */
  readonly via: string | null;
  /** When the message is due by the last plan; `null` for a new message, and as long as a manual pause holds it. */
  readonly due: Instant | null;
  readonly isHeldByPause: boolean;
  /** True once an attempt was made or has begun. */
  readonly isTried: boolean;
  /** True when the message is about a deleted job whose key a new job now has. */
  readonly isPredecessors: boolean;
  /** True for a notice that does not wait for quiet hours. */
  readonly isAtOnce: boolean;
}

/** The fields of a message that is not stored yet. Its id puts it after all stored messages. */
export const NOT_STORED = {
  id: Number.MAX_SAFE_INTEGER,
  due: null,
  isTried: false,
  isHeldByPause: false,
  isPredecessors: false,
  isAtOnce: false,
} as const;

export interface Lane {
  readonly told: KnownTrouble | null;
  /** The messages that wait, the oldest first. */
  readonly waiting: readonly LaneMessage[];
  /** True when the trouble was told to another turn of the rota through which this receiver is reached. */
  readonly isOtherTurnTold: boolean;
}

export const EMPTY_LANE: Lane = { told: null, waiting: [], isOtherTurnTold: false };

/** Says that a person acknowledged the incident. `by` is the person's name, or `null` when it is not known. */
type Acknowledged = Readonly<{ by: string | null }>;

/**
 * How the job stands. `open` is its open incident, with when it opened and who acknowledged it; it is `null` when the
 * job has no open incident.
 */
export interface Standing {
  readonly open: Readonly<{ incident: number; since: Instant; acknowledged: Acknowledged | null }> | null;
  /** True when a person paused the job or its application is suspended. */
  readonly isQuietByHand: boolean;
}

/**
 * How a receiver wants to be told, by its current settings. People read messages, a pager calls for help, and a log
 * records every change.
 */
export interface ReceiverRules {
  readonly receiverKind: "people" | "pager" | "log";
  /** Whether the receiver wants the messages that open an incident. */
  readonly wantsOpenings: boolean;
  /** Returns the rules for what came through the rota `via`, or directly (`null`). */
  readonly hearing: (via: string | null) => Hearing;
  readonly timezone: string;
}

/** Returns what the receiver knows once it has got this message too. */
export function toldAfter(
  told: KnownTrouble | null,
  message: LaneMessage,
  state: KnownTrouble["state"],
): KnownTrouble | null {
  const { id: by, incident, causes, severity, at, kind } = message;
  if (incident === null) return told;
  if (isTrouble(kind)) return { by, incident, causes, severity, at, state };
  return kind === "Recovered" ? null : told;
}

/**
 * What the receiver has been told at `now`. A message that is due or was tried counts, because it may be on its way.
 */
export const toldBy = ({ told, waiting }: Lane, now: Instant): KnownTrouble | null =>
  waiting.filter((message) => isSettled(message, now)).reduce((known, one) => toldAfter(known, one, "sent"), told);

/** What the receiver will know once all waiting messages are sent. */
export const toldAtLast = ({ told, waiting }: Lane): KnownTrouble | null =>
  waiting.reduce((known, message) => toldAfter(known, message, "waiting"), told);

/** Whether the message keeps its plan, because it is due or was tried. */
export const isSettled = ({ isTried, due }: LaneMessage, now: Instant): boolean =>
  isTried || (due !== null && due <= now);

/** Whether the receiver already knows all the trouble of this opening, so that it need not be told. */
export const isKnown = (told: KnownTrouble | null, { causes, severity }: LaneMessage): told is KnownTrouble =>
  told !== null && told.state !== "unsure" && causes.every((cause) => isSameTrouble(told, { cause, severity }));
