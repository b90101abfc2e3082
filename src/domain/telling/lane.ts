// A lane holds the messages about one monitor that go to one receiver: a destination and one recipient of it (R36,
// R38). This file also computes what the receiver knows after a message; plan.ts decides when each is sent. Pure.

import { type AlertKind, type Reason, tellsOfTrouble } from "../message/alert.ts";
import type { Severity } from "../message/presentation.ts";
import type { Cause, Incident } from "../monitor/incident.ts";
import type { Monitor, Pauses } from "../monitor/monitor.ts";
import type { Instant } from "../time.ts";
import { isSameTrouble } from "./flapping.ts";
import type { Hearing } from "./hearing.ts";

/** The trouble that a receiver has been told of, by its newest message about trouble. A recovery clears it. */
export interface KnownTrouble {
  /** The id of the delivery that told the receiver of the trouble. */
  readonly by: number;
  readonly incident: number;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** The instant of the newest alert that told the receiver of the trouble. */
  readonly at: Instant;
  /**
   * Whether the newest alert about the trouble has reached the receiver. `sent`: yes. `unsure`: its delivery was given
   * up, but may have arrived. `waiting`: it is not sent yet.
   */
  readonly state: "sent" | "unsure" | "waiting";
}

/** A message that is not sent yet. `incident` is `null` for a notice, and when a restore has lost the incident. */
export interface LaneMessage {
  readonly id: number;
  readonly incident: number | null;
  /** The kind of the alert; `null` for a notice. */
  readonly kind: AlertKind | null;
  readonly reason: Reason | null;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** The instant of the alert or notice: when what it says became true. */
  readonly at: Instant;
  readonly written: Instant;
  /** The instant from which the time of the setting `after` counts, for a receiver that has this setting. */
  readonly from: Instant;
  /** True for a recovery or a reminder of a job that has failed several times in a series (flapping.ts). */
  readonly isOfSeries: boolean;
  /** The rota by which the message goes to this destination; `null` when the settings name the destination itself. */
  readonly via: string | null;
  /** When the message is due by the last plan. `null` for a new message, and while a pause by hand holds it. */
  readonly due: Instant | null;
  readonly isHeldByPause: boolean;
  /** True once an attempt to send has begun. */
  readonly isTried: boolean;
  /** True when the message is about a deleted monitor, and a newer monitor has its key. */
  readonly isPredecessors: boolean;
  /** True for a notice that is sent in quiet hours too. */
  readonly isAtOnce: boolean;
}

/**
 * The values of these fields in a message that is not stored yet. The largest id puts it behind all stored messages.
 */
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
  /** The messages that are not sent yet, the oldest first. */
  readonly waiting: readonly LaneMessage[];
  /**
   * True when this receiver is reached by a rota, and another receiver of that rota was told of the trouble. Then this
   * receiver gets the reminders.
   */
  readonly isOtherTurnTold: boolean;
}

export const EMPTY_LANE: Lane = { told: null, waiting: [], isOtherTurnTold: false };

/** A person has acknowledged the incident. `by` is the person's name; `null` when it is not known. */
type Acknowledged = Readonly<{ by: string | null }>;

/**
 * How the monitor stands now. `open` is its open incident: when that opened, and whether a person has acknowledged it;
 * `null` without an open incident.
 */
export interface Standing {
  readonly open: Readonly<{ incident: number; since: Instant; acknowledged: Acknowledged | null }> | null;
  /** True while a person has paused the monitor, or its application is suspended. */
  readonly isQuietByHand: boolean;
}

/**
 * How a receiver wants to be told, by the settings in force. `people` read messages. A `pager` calls for help until the
 * incident ends. A `log` records every change.
 */
export interface ReceiverRules {
  readonly receiverKind: "people" | "pager" | "log";
  /** False for a member who has declined a kind of first alert, such as that a job never reported. */
  readonly wantsOpenings: boolean;
  /** When the receiver wants to hear. `via` is the rota by which a message comes; `null` without a rota. */
  readonly hearing: (via: string | null) => Hearing;
  readonly timezone: string;
}

/** What the receiver knows after this message, if it knew `told` before. `state` says how far the message has got. */
export function toldAfter(
  told: KnownTrouble | null,
  message: LaneMessage,
  state: KnownTrouble["state"],
): KnownTrouble | null {
  const { id: by, incident, causes, severity, at, kind } = message;
  if (incident === null) return told;
  if (tellsOfTrouble(kind)) return { by, incident, causes, severity, at, state };
  return kind === "Recovered" ? null : told;
}

/** What the receiver has been told by `now`. A message that is due or was tried counts: it may be on its way. */
export const toldBy = ({ told, waiting }: Lane, now: Instant): KnownTrouble | null =>
  waiting
    .filter((message) => isMessageSettled(message, now))
    .reduce((known, one) => toldAfter(known, one, "sent"), told);

/** What the receiver will know once all messages of the lane are sent. */
export const toldAtLast = ({ told, waiting }: Lane): KnownTrouble | null =>
  waiting.reduce((known, message) => toldAfter(known, message, "waiting"), told);

/** Whether no new plan may change the message, because it is due or was tried already. */
export const isMessageSettled = ({ isTried, due }: LaneMessage, now: Instant): boolean =>
  isTried || (due !== null && due <= now);

/** Whether the receiver knows all that this first alert tells: each of its causes, with at least its severity. */
export const isTroubleKnown = (told: KnownTrouble | null, { causes, severity }: LaneMessage): told is KnownTrouble =>
  told !== null && told.state !== "unsure" && causes.every((cause) => isSameTrouble(told, { cause, severity }));

/** Whether a person wants no messages about the job: it is paused by hand, or its application is suspended. */
export const isQuietByHand = ({ manual, suspension }: Pauses): boolean => manual !== null || suspension;

export const openStanding = (
  incident: number,
  { openedAt, acknowledgedAt, acknowledgedBy }: Incident,
): Standing["open"] => ({
  incident,
  since: openedAt,
  acknowledged: acknowledgedAt === null ? null : { by: acknowledgedBy },
});

export const standingOf = ({ incident, pauses }: Monitor, openIncidentId: number | null): Standing => ({
  open: incident === null || openIncidentId === null ? null : openStanding(openIncidentId, incident),
  isQuietByHand: isQuietByHand(pauses),
});

/** Whether a person began or ended a time without messages: a pause by hand, or a suspension of the application. */
export const hasPauseOfMessagesChanged = (before: Pauses, after: Pauses): boolean =>
  isQuietByHand(before) !== isQuietByHand(after);
