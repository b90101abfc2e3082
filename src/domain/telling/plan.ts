// The second decision (R36, R38). The first one, `transition`, says what is true of a job. `plan` says for one receiver
// when each message is due, or why it need not be sent. `plan` is called again when the job, the settings or the time
// changes. A message that is due or was tried is left as it is.

import { type AlertKind, isOpening, tellsOfTrouble } from "../message/alert.ts";
import { type Instant, SECOND } from "../time.ts";
import { WELL_FOR } from "./flapping.ts";
import { type Hearing, heardFrom, isAtLeast } from "./hearing.ts";
import {
  isMessageSettled,
  isTroubleKnown,
  type KnownTrouble,
  type Lane,
  type LaneMessage,
  type ReceiverRules,
  type Standing,
  toldAfter,
} from "./lane.ts";

export type WhyDue =
  /** Nothing holds the message back. */
  | "now"
  /** Quiet hours of the receiver hold the message until their end. */
  | "quiet"
  /**
   * The setting `after` holds the message. The message is sent only if the trouble lasts that long and no person
   * acknowledges the incident by then.
   */
  | "after"
  /** The message is the end of a series of failures. It waits until the job has been well for 15 minutes. */
  | "well"
  /** An earlier message to the same receiver must go first. */
  | "behind"
  /** A person has paused the job, which holds the message. */
  | "paused";

export type WhyNotSent =
  /** A person acknowledged the incident before the message was due. */
  | "acknowledged"
  /** The incident ended before the message was due. */
  | "over"
  /** The receiver was told of an earlier failure and not of its end, so it already believes that the job fails. */
  | "joined"
  /** The message was a recovery, and the job failed again before it was due. */
  | "failed again"
  /** The receiver was not told of the trouble, so it is not told of its end or of a reminder. */
  | "untold";

export type DuePlan = Readonly<{ due: Instant; why: WhyDue } | { due: null; why: "paused" }>;

/**
 * `knownBy` is the trouble that the receiver knows already, so that this message is not needed; `null` for any other
 * reason. `by` is the person who acknowledged the incident; `null` when the name is not known.
 */
export type NotSentPlan =
  | Readonly<{ notSent: Exclude<WhyNotSent, "acknowledged">; knownBy: KnownTrouble | null }>
  | Readonly<{ notSent: "acknowledged"; by: string | null; knownBy: null }>;

export type MessagePlan = DuePlan | NotSentPlan;

export const isPlanToSend = (planned: MessagePlan): planned is DuePlan => "why" in planned;

type PlannedMessage = { readonly message: LaneMessage; planned: MessagePlan };

/** Returns for each message of the lane when it is due, or why it need not be sent, in the lane's order. */
export function plan(lane: Lane, standing: Standing, rules: ReceiverRules, now: Instant): readonly MessagePlan[] {
  const all = plannedMessages(lane, standing, rules, now);
  takeAlong(all, rules);
  putInOrder(all);
  return all.map(({ planned }) => planned);
}

/**
 * A quick plan for a new opening (the first alert of an incident), used when very many jobs fail at once. The opening
 * is due now if nothing waits before it, and the receiver has neither quiet hours nor `after`. Otherwise `null`: `plan`
 * decides.
 */
export function planAtOnce(
  { waiting }: Pick<Lane, "waiting">,
  kind: AlertKind,
  { quiet = [], afterSeconds }: Hearing,
  now: Instant,
): DuePlan | null {
  const isAtOnce = isOpening(kind) && waiting.length === 0 && quiet.length === 0 && afterSeconds === undefined;
  return isAtOnce ? { due: now, why: "now" } : null;
}

/**
 * A recovery that waits to see whether the job stays well. `told` is the trouble that the receiver knew before this
 * recovery.
 */
type WaitingEnd = Readonly<{ judged: PlannedMessage; told: KnownTrouble | null; due: Instant }>;

/**
 * Decides for each message whether it is needed and when the receiver wants it. `putInOrder` then keeps the order of
 * the lane.
 */
function plannedMessages(lane: Lane, standing: Standing, rules: ReceiverRules, now: Instant): PlannedMessage[] {
  const all: PlannedMessage[] = [];
  let { told } = lane;
  let end: WaitingEnd | null = null;
  for (const message of lane.waiting) {
    const wish = wishOf(message, rules, now);
    const isDecided = isMessageSettled(message, now);
    const needless = isDecided ? null : needlessPlan(message, { wish, told, lane, standing, rules });
    const judged: PlannedMessage = { message, planned: needless ?? wish };
    all.push(judged);
    if (needless !== null) continue;
    if (isDecided) judged.planned = { due: message.due ?? now, why: "now" };
    else if (isPaused(message, standing, rules)) judged.planned = { due: null, why: "paused" };
    else if (end !== null && isOpening(message.kind) && message.written - end.judged.message.written < WELL_FOR) {
      const before: WaitingEnd = end;
      if (isTroubleKnown(before.told, message) && !before.judged.message.isPredecessors) {
        before.judged.planned = { notSent: "failed again", knownBy: null };
        judged.planned = { notSent: "joined", knownBy: before.told };
        ({ told } = before);
        end = null;
        continue;
      }
      // The new message is about other trouble, so it must be sent. If the new message is due no later than the waiting
      // recovery, that recovery is no longer needed.
      if (wish.due <= before.due) before.judged.planned = { notSent: "failed again", knownBy: null };
    }
    end = !isDecided && isDamped(message, rules) ? { judged, told, due: wish.due } : null;
    told = toldAfter(told, message, isDecided ? "sent" : "waiting");
  }
  if (end !== null && failedUnheard(all, end.judged.message, standing))
    end.judged.planned = { notSent: "failed again", knownBy: null };
  return all;
}

/**
 * Whether the job has failed again and this receiver will not be told of that, for example because another destination
 * of the rota is on call. The receiver still believes in the earlier failure, so a recovery would be wrong.
 */
const failedUnheard = (all: readonly PlannedMessage[], end: LaneMessage, { open }: Standing): boolean =>
  open !== null &&
  open.since >= end.written &&
  open.since - end.written < WELL_FOR &&
  !all.some(({ message, planned }) => isPlanToSend(planned) && message.incident === open.incident);

type Wish = Extract<DuePlan, { readonly due: Instant }>;

/** Whether this recovery waits until the job has been well for 15 minutes, because it ends a series of failures. */
const isDamped = ({ kind, isOfSeries }: LaneMessage, { receiverKind }: ReceiverRules): boolean =>
  kind === "Recovered" && isOfSeries && receiverKind === "people";

/** When the receiver wants the message, as if it were the only one in the lane. */
function wishOf(message: LaneMessage, rules: ReceiverRules, now: Instant): Wish {
  const { kind, written, from, severity, via } = message;
  const hearing = rules.hearing(via);
  const isLater = isOpening(kind) && hearing.afterSeconds !== undefined;
  const isWaiting = isDamped(message, rules);
  const wanted = isLater
    ? Math.max(written, from + hearing.afterSeconds! * SECOND)
    : isWaiting
      ? written + WELL_FOR
      : written;
  const isHeard = message.isAtOnce || kind === "Acknowledged";
  const due = isHeard ? wanted : heardFrom(hearing, severity, rules.timezone, wanted);
  const why = due > wanted ? "quiet" : isLater ? "after" : isWaiting ? "well" : "now";
  return { due: Math.max(due, now), why };
}

type Circumstances = Readonly<{
  wish: Wish;
  told: KnownTrouble | null;
  lane: Lane;
  standing: Standing;
  rules: ReceiverRules;
}>;

const needlessAs = (notSent: "over" | "joined" | "untold"): NotSentPlan => ({ notSent, knownBy: null });

/** Why a message that is not due yet need not be sent; `null` when it must be sent. */
function needlessPlan(message: LaneMessage, { wish, told, lane, standing, rules }: Circumstances): NotSentPlan | null {
  const { kind, incident, written } = message;
  if (incident === null || kind === null) return null;
  const hearing = rules.hearing(message.via);
  const { open } = standing;
  if (
    tellsOfTrouble(kind) &&
    (hearing.afterSeconds !== undefined || (rules.receiverKind === "pager" && wish.due > written))
  ) {
    if (open?.incident !== incident) return needlessAs("over");
    if (open.acknowledged !== null) return { notSent: "acknowledged", by: open.acknowledged.by, knownBy: null };
  }
  const isToldOnlyOpen = isToldOnlyWhatIsOpen(rules, hearing);
  if (kind === "Recovered") {
    const isTold = rules.receiverKind === "people" ? told !== null : told?.incident === incident;
    return !isTold && (isToldOnlyOpen || rules.receiverKind === "pager" || getsEveryOpening(rules))
      ? needlessAs("untold")
      : null;
  }
  if (comesWithOpening(message, told)) return needlessAs("joined");
  if (!isToldOnlyOpen || isOpening(kind) || lane.isOtherTurnTold) return null;
  // An alert of a new cause is sent, as an incident's first alert is. But a receiver with the setting `after` that
  // knows of no trouble does not get it, because that receiver is to hear of the trouble by the first alert.
  if (message.reason === "new_cause")
    return told === null && hearing.afterSeconds !== undefined ? needlessAs("untold") : null;
  return told === null || told.state === "waiting" ? needlessAs("untold") : null;
}

/**
 * Whether the message is a reminder that the receiver does not need, because it gets another alert of the same incident
 * and the same instant.
 */
const comesWithOpening = ({ kind, isOfSeries, incident, at }: LaneMessage, told: KnownTrouble | null): boolean =>
  kind === "ContinuedFailure" && isOfSeries && told?.incident === incident && told.at === at;

/**
 * Whether the receiver gets the first alert of each incident. If it was told of no trouble, a recovery says nothing to
 * it. But a log, and a member who has declined first alerts, gets the recovery all the same.
 */
const getsEveryOpening = ({ receiverKind, wantsOpenings }: ReceiverRules): boolean =>
  receiverKind === "people" && wantsOpenings;

/** Whether the receiver is told only of incidents that are still open and not acknowledged when the message is due. */
const isToldOnlyWhatIsOpen = ({ receiverKind }: ReceiverRules, { afterSeconds, quiet = [] }: Hearing): boolean =>
  afterSeconds !== undefined || (receiverKind === "pager" && quiet.length > 0);

/**
 * Whether a pause by hand holds the message. It holds the first alert of an incident, for a receiver with the setting
 * `after`. A held message stays held until the pause ends, even if the settings change meanwhile.
 */
const isPaused = (message: LaneMessage, { isQuietByHand }: Standing, { hearing }: ReceiverRules): boolean =>
  isQuietByHand &&
  isOpening(message.kind) &&
  (message.isHeldByPause || hearing(message.via).afterSeconds !== undefined);

/**
 * An urgent message does not wait for quiet hours. Earlier messages of the lane that quiet hours hold are sent with it:
 * otherwise the receiver could hear of an end before it hears of the trouble.
 */
function takeAlong(all: readonly PlannedMessage[], { hearing }: ReceiverRules): void {
  let urgentDue = Number.POSITIVE_INFINITY;
  for (const judged of all.toReversed()) {
    const { message, planned } = judged;
    if (!isPlanToSend(planned) || planned.due === null) continue;
    const { urgent } = hearing(message.via);
    const isUrgent = urgent !== undefined && isAtLeast(message.severity, urgent);
    if (message.isAtOnce || isUrgent) urgentDue = Math.min(urgentDue, planned.due);
    else if (planned.why === "quiet" && planned.due > urgentDue) judged.planned = { due: urgentDue, why: "now" };
  }
}

/** Puts off each message that would be due before an earlier message of the lane. */
function putInOrder(all: readonly PlannedMessage[]): void {
  let last: DuePlan | null = null;
  for (const judged of all) {
    const { planned } = judged;
    if (!isPlanToSend(planned)) continue;
    if (last !== null && (last.due === null || (planned.due !== null && planned.due < last.due)))
      judged.planned = last.due === null ? last : { due: last.due, why: "behind" };
    last = judged.planned as DuePlan;
  }
}
