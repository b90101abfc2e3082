// A lane: what one hearer, a destination and recipient, hears of one monitor (R36, R38). The second decision, plan.ts,
// is about one lane at a time. Types, and how a message changes what the hearer knows. Pure.

import { type AlertKind, isTrouble, type Reason } from "../message/alert.ts";
import type { Severity } from "../message/presentation.ts";
import type { Cause } from "../monitor/incident.ts";
import { isSameTrouble } from "../settings/flapping.ts";
import type { Hearing } from "../settings/hearing.ts";
import type { Instant } from "../time.ts";

/** The newest message of trouble that the hearer has, or will have, and that no end has followed. */
export interface KnownTrouble {
  /** The delivery by which the hearer knows. */
  readonly by: number;
  readonly incident: number;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** When it became true. */
  readonly at: Instant;
  /** `unsure`: it was given up, and has perhaps arrived. `waiting`: it is yet to be sent. */
  readonly state: "sent" | "unsure" | "waiting";
}

/**
 * A message that was not sent yet. `incident` is null for a notice, and for the end of an incident that a restore lost.
 */
export interface LaneMessage {
  readonly id: number;
  readonly incident: number | null;
  /** Null for a notice. */
  readonly kind: AlertKind | null;
  readonly reason: Reason | null;
  readonly causes: readonly Cause[];
  readonly severity: Severity;
  /** When what it says became true. */
  readonly at: Instant;
  readonly written: Instant;
  /** The wait of an opening under `after` counts from this instant. */
  readonly from: Instant;
  /** It is the end of the second or a later failure of a series (flapping.ts), or a reminder of several. */
  readonly isOfSeries: boolean;
  /** The name of the rota by which it came; null when the destination was named itself. */
  readonly via: string | null;
  /** When it is due by the plan before; null for a new message, and while a pause by hand holds it. */
  readonly due: Instant | null;
  readonly isHeldByPause: boolean;
  /** An attempt was made, or is under way. */
  readonly isTried: boolean;
  /** It is of a job that was deleted, and another was made under its key. */
  readonly isPredecessors: boolean;
  /** It is a notice that waits for no quiet hours. */
  readonly isAtOnce: boolean;
}

/** Of a message that is not stored: its id, so that it comes after all others, and that nothing was done with it. */
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
  /** The oldest first. */
  readonly waiting: readonly LaneMessage[];
  /** Another turn of the rota by which this hearer is reached was told of the trouble. */
  readonly isOtherTurnTold: boolean;
}

export const EMPTY_LANE: Lane = { told: null, waiting: [], isOtherTurnTold: false };

/** `by`: a person's name; null when it is not known. */
type Acknowledged = Readonly<{ by: string | null }>;

/** How the job stands. `open`: its open incident, when it opened and who has acknowledged it; null when it has none. */
export interface Standing {
  readonly open: Readonly<{ incident: number; since: Instant; acknowledged: Acknowledged | null }> | null;
  /** A person paused it, or its application is suspended. */
  readonly isQuietByHand: boolean;
}

/** What a hearer is told by its settings now. People read, pagers call, logs record each edge. */
export interface HearerRules {
  readonly is: "people" | "pager" | "log";
  /** It wants the messages that open an incident. */
  readonly wantsOpenings: boolean;
  /** By which rules it hears what came by the rota `via`, or without one (null). */
  readonly hearing: (via: string | null) => Hearing;
  readonly timezone: string;
}

/** What the hearer knows once it has this message too. */
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

/** What the hearer was told by now: all that is due or was tried counts, because it may be on its way. */
export const toldBy = ({ told, waiting }: Lane, now: Instant): KnownTrouble | null =>
  waiting.filter((message) => isSettled(message, now)).reduce((known, one) => toldAfter(known, one, "sent"), told);

/** What the hearer knows once all that waits is sent. */
export const toldAtLast = ({ told, waiting }: Lane): KnownTrouble | null =>
  waiting.reduce((known, message) => toldAfter(known, message, "waiting"), told);

/** What has come due or was tried is not judged again. */
export const isSettled = ({ isTried, due }: LaneMessage, now: Instant): boolean =>
  isTried || (due !== null && due <= now);

/** Whether a hearer who was told of that, and not of its end, need not hear of this opening. */
export const isKnown = (told: KnownTrouble | null, { causes, severity }: LaneMessage): told is KnownTrouble =>
  told !== null && told.state !== "unsure" && causes.every((cause) => isSameTrouble(told, { cause, severity }));
